/**
 * Removal of backups, first half: a note in the archive, written once like everything else. From then on no backup builds on
 * the removed one. The sweep (sweep.ts) deletes its objects later, and leaves notes of its own.
 */
import { z } from 'zod';
import { jsonOf } from '../../base/json.ts';
import { ArchiveError, damaged } from './errors.ts';
import { removalKey, removalsPrefix, sweptKey, sweptPrefix } from './keys.ts';
import type { ObjectStore } from './object-store.ts';

const removalSchema = z.object({ backupId: z.string(), removedAt: z.iso.datetime() });
const sweptSchema = z.object({ backupId: z.string(), sweptAt: z.iso.datetime() });

/** The removal of a backup. */
export type Removal = z.infer<typeof removalSchema>;

/** Notes that a backup is removed. Resolves with the note that counts: an earlier one, if it exists. */
export async function removeBackup(
  store: ObjectStore,
  databaseId: string,
  note: Removal,
): Promise<Removal> {
  const key = removalKey(databaseId, note.backupId);
  const made = await store.create(key, bytesOf(note));
  return made === 'created' ? note : readNote(store, key, removalSchema);
}

/** All removals of a database whose sweep has not ended, by backup. */
export async function removals(
  store: ObjectStore,
  databaseId: string,
): Promise<ReadonlyMap<string, Removal>> {
  return notesOf(store, removalsPrefix(databaseId), removalSchema);
}

/** Notes that the chunks of a removed backup are deleted. */
export async function noteSwept(
  store: ObjectStore,
  databaseId: string,
  note: z.infer<typeof sweptSchema>,
): Promise<void> {
  await store.create(sweptKey(databaseId, note.backupId), bytesOf(note));
}

/** Times at which the chunks of removed backups were deleted, by backup. */
export async function sweptTimes(
  store: ObjectStore,
  databaseId: string,
): Promise<ReadonlyMap<string, string>> {
  const notes = await notesOf(store, sweptPrefix(databaseId), sweptSchema);
  return new Map([...notes].map(([backupId, { sweptAt }]) => [backupId, sweptAt]));
}

const bytesOf = (note: object): Uint8Array => Buffer.from(`${JSON.stringify(note)}\n`);

async function notesOf<Note extends { readonly backupId: string }>(
  store: ObjectStore,
  prefix: string,
  schema: z.ZodType<Note>,
): Promise<ReadonlyMap<string, Note>> {
  const found = new Map<string, Note>();
  for await (const key of store.list(prefix)) {
    const note = await readNote(store, key, schema).catch(unlessGone);
    if (note !== undefined) found.set(note.backupId, note);
  }
  return found;
}

/** A sweep may have deleted it since it was listed. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof ArchiveError && error.code === 'object_missing')) throw error;
}

async function readNote<Note extends { readonly backupId: string }>(
  store: ObjectStore,
  key: string,
  schema: z.ZodType<Note>,
): Promise<Note> {
  const parsed = schema.safeParse(jsonOf(Buffer.from(await store.read(key)).toString('utf8')));
  if (!parsed.success || !key.endsWith(`/${parsed.data.backupId}.json`))
    throw damaged(key, 'it is no note of the removal of a backup');
  return parsed.data;
}
