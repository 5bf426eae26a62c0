/**
 * Completes an import: each file becomes one object, heads are read in the store and compared, and only then a row says that the
 * import is READY. Every step finds what an earlier try did, by any process, and goes on from there.
 */
import { FILE_HEAD_SIZE, readFileHead } from '../../domain/import-files/file-head.ts';
import { stagedKey } from '../../domain/import-files/staged-key.ts';
import type { Author } from '../model/actor.ts';
import { partCount } from '../model/import.ts';
import type { Change } from '../store/change.ts';
import {
  findImport,
  forgetParts,
  forgetUpload,
  lockImport,
  markWhole,
  partDigests,
  updateImport,
  type ImportView,
} from '../store/imports.ts';
import { faultsOf, filesWrong, newestRelease, type LookedAt } from './heads.ts';
import { tellImport } from './import-events.ts';
import type { ImportServices } from './import-services.ts';
import { importClosed, importIncomplete, importNotFound, requireStaging } from './refusal.ts';
import type { PartToJoin, StagingStore } from './staging-store.ts';

interface CompleteRequest {
  readonly organizationId: string;
  readonly importId: string;
  readonly author: Author;
  readonly signal: AbortSignal;
}

type File = ImportView['files'][number];

/** Returns the import as it is READY. `within` runs in the change that says so. */
export async function completeImport(
  services: ImportServices,
  request: CompleteRequest,
  within: (change: Change, ready: ImportView) => Promise<void>,
): Promise<ImportView> {
  const { store } = services;
  const { organizationId, importId, author } = request;
  const view = await findImport(store.read, organizationId, importId);
  if (view === undefined) throw importNotFound(importId);
  if (view.made.status !== 'READY') await validate(services, request, view);
  return store.change(author, async (change) => {
    const before = await lockImport(change, importId);
    if (before === undefined || before.status === 'DELETED') throw importNotFound(importId);
    if (before.status !== 'UPLOADING' && before.status !== 'READY') throw importClosed(before);
    const isFirst = before.status === 'UPLOADING';
    const made = isFirst ? await updateImport(change, importId, { status: 'READY' }) : before;
    if (isFirst) tellImport(change, 'import.validated', made);
    const ready = { made, files: view.files.map((file) => ({ ...file, isWhole: true })) };
    await within(change, ready);
    return ready;
  });
}

/** Makes each file whole in the store, and reads there what it is. Throws a `Refusal` that names every fault. */
async function validate(
  services: ImportServices,
  { author, signal }: CompleteRequest,
  view: ImportView,
): Promise<void> {
  const { store, catalog, now } = services;
  if (view.made.status !== 'UPLOADING' || view.made.expiresAt <= now()) {
    throw importClosed(view.made);
  }
  const staging = requireStaging(services.staging);
  requireParts(view);
  await Promise.all(view.files.map((file) => makeWhole(services, staging, view, file, signal)));
  const looked = await Promise.all(view.files.map((file) => look(staging, view, file, signal)));
  const faults = faultsOf(looked, newestRelease(catalog().spec), now());
  if (faults.length === 0) return;
  const refusal = filesWrong(faults);
  const error = { code: faults[0]?.code ?? refusal.code, message: refusal.occasion.detail };
  await store.change(author, (change) => {
    tellImport(change, 'import.failed', view.made, { error });
    return Promise.resolve();
  });
  throw refusal;
}

function requireParts({ made, files }: ImportView): void {
  const missing = files.flatMap(({ replicaIndex, sizeBytes, parts, isWhole }) => {
    if (isWhole) return [];
    const there = new Set(parts);
    const numbers = Array.from(
      { length: partCount(sizeBytes, made.partSizeBytes) },
      (_, at) => at + 1,
    ).filter((number) => !there.has(number));
    return numbers.length === 0 ? [] : [{ replicaIndex, parts: numbers }];
  });
  if (missing.length === 0) return;
  const what = missing.map(
    ({ replicaIndex, parts }) => `${parts.length} of the file of replica ${replicaIndex}`,
  );
  throw importIncomplete(missing, `Parts are missing: ${what.join(', ')}.`);
}

async function makeWhole(
  { store }: ImportServices,
  staging: StagingStore,
  { made }: ImportView,
  { replicaIndex, sizeBytes, uploadId, isWhole, head }: File,
  signal: AbortSignal,
): Promise<void> {
  if (isWhole) return;
  // All parts are there, so the first one is, and with it the head.
  if (uploadId === null || head === null) throw new Error('a file has parts and no upload');
  const key = stagedKey(made.id, head.clusterId, replicaIndex);
  const known = await partDigests(store.read, made.id, replicaIndex);
  const inStore = await staging.parts(key, uploadId, signal);
  const joined =
    inStore !== undefined &&
    (await staging.complete(
      key,
      uploadId,
      await partsToJoin(store.read, made.id, replicaIndex, known, inStore),
      signal,
    ));
  // An earlier try, or another request, may have joined the parts.
  if (!joined && (await staging.sizeOf(key, signal)) !== sizeBytes) {
    await forgetUpload(store.read, made.id, replicaIndex, uploadId);
    const parts = [...known.keys()];
    throw importIncomplete(
      [{ replicaIndex, parts }],
      `The store no longer has the parts of the file of replica ${replicaIndex}. Send all of them again.`,
    );
  }
  await markWhole(store.read, made.id, replicaIndex);
}

/** The parts as the store has them. One that is not there as it was recorded has to be sent again. */
async function partsToJoin(
  db: ImportServices['store']['read'],
  importId: string,
  replicaIndex: number,
  known: ReadonlyMap<number, Buffer>,
  inStore: NonNullable<Awaited<ReturnType<StagingStore['parts']>>>,
): Promise<readonly PartToJoin[]> {
  const rows = [...known].map(([number, digest]) => {
    const sha256 = digest.toString('base64');
    const found = inStore.get(number);
    const isSame = found !== undefined && (found.sha256 ?? sha256) === sha256;
    return { number, sha256, etag: isSame ? found.etag : undefined };
  });
  const wrong = rows.flatMap(({ number, etag }) => (etag === undefined ? [number] : []));
  if (wrong.length > 0) {
    await forgetParts(db, importId, replicaIndex, wrong);
    throw importIncomplete(
      [{ replicaIndex, parts: wrong }],
      `The store has not the parts of the file of replica ${replicaIndex} as they were sent. Send those that are missing again.`,
    );
  }
  return rows.flatMap(({ number, sha256, etag }) =>
    etag === undefined ? [] : [{ number, sha256, etag }],
  );
}

/** Reads in the store what the file is. */
async function look(
  staging: StagingStore,
  { made }: ImportView,
  { replicaIndex, sizeBytes, head }: File,
  signal: AbortSignal,
): Promise<LookedAt> {
  const key = stagedKey(made.id, head?.clusterId ?? '', replicaIndex);
  const start = await staging.readStart(key, FILE_HEAD_SIZE, signal);
  const actual = (await staging.sizeOf(key, signal)) ?? 0;
  return {
    replicaIndex,
    sizeBytes: Math.min(actual, sizeBytes),
    head: readFileHead(start ?? new Uint8Array(0)),
  };
}
