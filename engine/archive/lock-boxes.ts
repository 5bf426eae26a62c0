/**
 * The data keys of an archive. Each lies in the archive itself, in a box for each key of an installation that opens it. A new
 * key of the installation gets boxes of all data keys, and no object is written again. FORMAT.md, "Lock boxes".
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { jsonOf } from '../../base/json.ts';
import { ArchiveError, damaged } from './errors.ts';
import {
  KEY_BYTES,
  KEY_NAME,
  type InstallationKey,
  type InstallationKeys,
} from './installation-keys.ts';
import { lockBoxesPrefix, lockBoxKey, parseLockBoxKey } from './keys.ts';
import type { ObjectStore } from './object-store.ts';
import { DATA_KEY_ID_BYTES, type DataKey } from './sealed-object.ts';

const TAG_BYTES = 16;
const TIME_BYTES = 6;

const base64 = (bytes: number) =>
  z.base64().refine((text) => Buffer.from(text, 'base64').length === bytes);

const boxSchema = z.object({
  format: z.literal(1),
  databaseId: z.string(),
  dataKeyId: z.string().regex(/^[0-9a-f]{32}$/),
  /** The key of the installation that opens this box. Messages repeat it, and anybody who may write to the bucket may have put it there. */
  key: z.object({
    name: z.string().regex(KEY_NAME),
    fingerprint: z.string().regex(/^[0-9a-f]{16}$/),
  }),
  /** Fingerprint of the one for which the data key was made: while that is the first, new objects use the data key. */
  madeFor: z.string(),
  nonce: base64(12),
  sealed: base64(KEY_BYTES + TAG_BYTES),
});
type LockBox = z.infer<typeof boxSchema>;

interface Opened {
  readonly dataKey: DataKey;
  readonly madeFor: string;
}

/** The data keys of one archive, by a list of its boxes. */
type Boxes = ReadonlyMap<string, readonly string[]>;

/** Fingerprints of the boxes of each data key, the newest data key last. */
export async function listBoxes(store: ObjectStore, databaseId: string): Promise<Boxes> {
  const boxes = new Map<string, string[]>();
  for await (const key of store.list(lockBoxesPrefix(databaseId))) {
    const { dataKeyId, fingerprint } = parseLockBoxKey(key) ?? {};
    if (dataKeyId === undefined || fingerprint === undefined) continue;
    boxes.set(dataKeyId, [...(boxes.get(dataKeyId) ?? []), fingerprint]);
  }
  return boxes;
}

/** Opens a data key with any of the installation's keys. `what`: the object that needs it. */
export async function openDataKey(
  store: ObjectStore,
  databaseId: string,
  dataKeyId: string,
  { keys, what }: { readonly keys: readonly InstallationKey[]; readonly what: string },
): Promise<Opened> {
  const there = (await listBoxes(store, databaseId)).get(dataKeyId) ?? [];
  const key = keys.find(({ fingerprint }) => there.includes(fingerprint));
  if (key !== undefined) return openBox(store, databaseId, dataKeyId, key);
  if (there.length === 0) {
    // Not as a missing object: a search for the end of a log must not take this for the end.
    throw new ArchiveError(
      'key_missing',
      `${what} is encrypted, and no box with its data key ${dataKeyId} is left below ${lockBoxesPrefix(databaseId)}. Somebody or a rule of the bucket removed it: put it back from an older version of the bucket, or from a copy.`,
    );
  }
  throw await keyMissing(store, databaseId, { what, dataKeyId, there, keys });
}

async function keyMissing(
  store: ObjectStore,
  databaseId: string,
  {
    what,
    dataKeyId,
    there,
    keys,
  }: {
    readonly what: string;
    readonly dataKeyId: string;
    readonly there: readonly string[];
    readonly keys: readonly InstallationKey[];
  },
): Promise<ArchiveError> {
  const wanted: string[] = [];
  for (const fingerprint of there) {
    const box = await readBox(store, lockBoxKey(databaseId, dataKeyId, fingerprint));
    wanted.push(described(box.key));
  }
  const own = keys.length === 0 ? 'none' : keys.map(described).join(', ');
  return new ArchiveError(
    'key_missing',
    `${what} is encrypted, and opens with the key ${wanted.join(' or ')}. This program has ${own}. Put the line of that key into the file encryption-keys beside the store's credentials (in Kubernetes: the Secret of backups.encryption.keysSecret).`,
  );
}

const described = ({ name, fingerprint }: Pick<InstallationKey, 'name' | 'fingerprint'>): string =>
  `"${name}" (${fingerprint})`;

/** The newest data key that was made for the first key of the installation. Makes one if there is none. */
export async function dataKeyForWriting(
  store: ObjectStore,
  databaseId: string,
  { keys }: InstallationKeys,
): Promise<DataKey> {
  const [first] = keys;
  const boxes = await listBoxes(store, databaseId);
  for (const [dataKeyId, there] of [...boxes].toReversed()) {
    if (!there.includes(first.fingerprint)) continue;
    const { dataKey, madeFor } = await openBox(store, databaseId, dataKeyId, first);
    if (madeFor === first.fingerprint) return dataKey;
  }
  // Keys that open nothing of what is there are not the installation's.
  const newest = [...boxes].at(-1);
  if (newest === undefined) return makeDataKey(store, databaseId, first);
  const [dataKeyId, there] = newest;
  if (!keys.some(({ fingerprint }) => there.includes(fingerprint))) {
    const what = `the archive of ${databaseId}`;
    throw await keyMissing(store, databaseId, { what, dataKeyId, there, keys });
  }
  return makeDataKey(store, databaseId, first);
}

/** Nothing is sealed with a data key before its box was read back from the store, and opened. */
async function makeDataKey(
  store: ObjectStore,
  databaseId: string,
  key: InstallationKey,
): Promise<DataKey> {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(Date.now(), 0, TIME_BYTES);
  const id = Buffer.concat([time, randomBytes(DATA_KEY_ID_BYTES - TIME_BYTES)]).toString('hex');
  const made = { dataKey: { id, secret: randomBytes(KEY_BYTES) }, madeFor: key.fingerprint };
  await putBox(store, databaseId, made, key);
  return made.dataKey;
}

async function putBox(
  store: ObjectStore,
  databaseId: string,
  { dataKey, madeFor }: Opened,
  key: InstallationKey,
): Promise<void> {
  const nonce = randomBytes(12);
  const named = { name: key.name, fingerprint: key.fingerprint };
  const place = { format: 1, databaseId, dataKeyId: dataKey.id, key: named, madeFor } as const;
  const cipher = createCipheriv('aes-256-gcm', key.secret, nonce);
  cipher.setAAD(boundTo(place));
  const sealed = Buffer.concat([
    cipher.update(dataKey.secret),
    cipher.final(),
    cipher.getAuthTag(),
  ]).toString('base64');
  const box: LockBox = { ...place, nonce: nonce.toString('base64'), sealed };
  const boxKey = lockBoxKey(databaseId, dataKey.id, key.fingerprint);
  await store.create(boxKey, Buffer.from(`${JSON.stringify(box)}\n`));
  const back = await openBox(store, databaseId, dataKey.id, key);
  if (!Buffer.from(back.dataKey.secret).equals(dataKey.secret))
    throw damaged(boxKey, 'it holds another key than was put there');
}

/** The name of a key may be changed in the file; its fingerprint is what counts. */
const boundTo = ({ databaseId, dataKeyId, key, madeFor }: Omit<LockBox, 'nonce' | 'sealed'>) =>
  Buffer.from(`1 ${databaseId} ${dataKeyId} ${key.fingerprint} ${madeFor}`);

async function readBox(store: ObjectStore, boxKey: string): Promise<LockBox> {
  const text = Buffer.from(await store.read(boxKey)).toString('utf8');
  const parsed = boxSchema.safeParse(jsonOf(text));
  if (!parsed.success) throw damaged(boxKey, 'it is no box with a key');
  return parsed.data;
}

async function openBox(
  store: ObjectStore,
  databaseId: string,
  dataKeyId: string,
  key: InstallationKey,
): Promise<Opened> {
  const boxKey = lockBoxKey(databaseId, dataKeyId, key.fingerprint);
  const box = await readBox(store, boxKey);
  const bytes = Buffer.from(box.sealed, 'base64');
  const nonce = Buffer.from(box.nonce, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key.secret, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo({ ...box, databaseId, dataKeyId, key }));
  decipher.setAuthTag(bytes.subarray(KEY_BYTES));
  const secret = decipher.update(bytes.subarray(0, KEY_BYTES));
  try {
    decipher.final();
  } catch {
    throw damaged(boxKey, `it does not open with the key ${described(key)}`);
  }
  return { dataKey: { id: dataKeyId, secret }, madeFor: box.madeFor };
}

export interface BoxReport {
  readonly dataKeys: number;
  /** Boxes that were made just now for the installation's first key. */
  readonly boxesMade: number;
  /** Earlier keys without which data keys do not open: each must stay in the file. */
  readonly stillNeeded: readonly string[];
}

/** Says which keys an archive needs. With `rewrap`, puts all data keys into boxes of the first key before. */
export async function examineBoxes(
  store: ObjectStore,
  databaseId: string,
  { keys }: Pick<InstallationKeys, 'keys'>,
  rewrap: boolean,
): Promise<BoxReport> {
  const [first] = keys;
  const boxes = await listBoxes(store, databaseId);
  const stillNeeded = new Set<string>();
  let boxesMade = 0;
  for (const [dataKeyId, there] of boxes) {
    if (there.includes(first.fingerprint)) {
      // A box that does not open is not one.
      await openBox(store, databaseId, dataKeyId, first);
      continue;
    }
    const other = keys.find(({ fingerprint }) => there.includes(fingerprint));
    if (rewrap && other !== undefined) {
      await putBox(store, databaseId, await openBox(store, databaseId, dataKeyId, other), first);
      boxesMade += 1;
    } else if (other !== undefined) stillNeeded.add(other.name);
    else {
      const [fingerprint = ''] = there;
      const { key } = await readBox(store, lockBoxKey(databaseId, dataKeyId, fingerprint));
      stillNeeded.add(key.name);
    }
  }
  return { dataKeys: boxes.size, boxesMade, stillNeeded: [...stillNeeded] };
}
