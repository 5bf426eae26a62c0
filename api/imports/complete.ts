/**
 * Completes an import: each file becomes one object, heads are read in the store and compared, and only then a row says that the
 * import is READY, or that its rows are tried. Every step finds what an earlier try did, by any process, and goes on from there.
 */
import { rowsNames } from '../../domain/import-files/row-files.ts';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { FILE_HEAD_SIZE, FILE_HEAD_SIZE_MAX } from '../../domain/import-files/file-head.ts';
import type { Author } from '../model/actor.ts';
import { partCount, type Import } from '../model/import.ts';
import type { FieldError, Refusal } from '../model/refusal.ts';
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
import { faultsOf, filesWrong, readHead, type LookedAt } from './heads.ts';
import { tellImport } from './import-events.ts';
import type { ImportServices } from './import-services.ts';
import { importClosed, importIncomplete, importNotFound, requireStaging } from './refusal.ts';
import { rowsErrors, rowsWrong } from './rows-heads.ts';
import { fileWords, keyOf } from './staged-files.ts';
import type { PartToJoin, StagingStore } from './staging-store.ts';

interface CompleteRequest {
  readonly organizationId: string;
  readonly importId: string;
  readonly author: Author;
  readonly signal: AbortSignal;
}

/** Looks at the store before something is said to be missing, and the time between two of them: together about as long as joining takes. */
const looksMax = 6;
const lookAgainMs = 500;

type File = ImportView['files'][number];

/** Returns the import as it is READY or CHECKING. `within` runs in the change that says so. */
export async function completeImport(
  services: ImportServices,
  request: CompleteRequest,
  within: (change: Change, ready: ImportView) => Promise<void>,
): Promise<ImportView> {
  const { store } = services;
  const { organizationId, importId, author } = request;
  const view = await findImport(store.read, organizationId, importId);
  if (view === undefined) throw importNotFound(importId);
  if (!isComplete(view.made)) await validate(services, request, view);
  return store.change(author, async (change) => {
    const before = await lockImport(change, importId);
    if (before === undefined || before.status === 'DELETED') throw importNotFound(importId);
    if (before.status !== 'UPLOADING' && !isComplete(before)) throw importClosed(before);
    const made = before.status === 'UPLOADING' ? await close(services, change, before) : before;
    const ready = { made, files: view.files.map((file) => ({ ...file, isWhole: true })) };
    await within(change, ready);
    return ready;
  });
}

/** Whether an earlier request has completed it. */
const isComplete = ({ status }: Pick<Import, 'status'>): boolean =>
  status === 'READY' || status === 'CHECKING';

/** Takes no more parts. Of data files nothing is left to find out here; rows are tried, exactly as they are. */
async function close(
  { now }: ImportServices,
  change: Change,
  { id, rows, partSizeBytes }: Import,
): Promise<Import> {
  if (rows === null) {
    const made = await updateImport(change, id, { status: 'READY' });
    tellImport(change, 'import.validated', made);
    return made;
  }
  const [accounts, transfers] = await Promise.all(
    rowsNames.map((_, index) => partDigests(change.db, id, index)),
  );
  const uploaded = {
    accounts: digestOfParts(accounts),
    ...(transfers !== undefined && transfers.size > 0 && { transfers: digestOfParts(transfers) }),
    partSizeBytes,
    now: `${BigInt(now().getTime()) * 1_000_000n}`,
    ignoreBalances: rows.ignoreBalances,
  };
  return updateImport(change, id, { status: 'CHECKING', rows: { ...rows, uploaded } });
}

/** SHA-256 of the SHA-256s of a file's parts, in their order, in hexadecimal. */
function digestOfParts(parts: ReadonlyMap<number, Buffer> | undefined): string {
  const hash = createHash('sha256');
  for (const digest of parts?.values() ?? []) hash.update(digest);
  return hash.digest('hex');
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
  const lookAtAll = async (): Promise<readonly Refusal[]> => {
    if (view.made.rows !== null) return lookAtRows(staging, view, signal);
    const looked = await Promise.all(view.files.map((file) => look(staging, view, file, signal)));
    const wrong = faultsOf(looked, catalog().spec, now());
    return wrong.length === 0 ? [] : [filesWrong(wrong)];
  };
  let faults = await lookAtAll();
  // Another request may be joining the same parts once more.
  for (let looks = 1; faults.length > 0 && looks < looksMax; looks += 1) {
    await delay(lookAgainMs, undefined, { signal });
    faults = await lookAtAll();
  }
  const [refusal] = faults;
  if (refusal === undefined) return;
  const { errors = [], detail } = refusal.occasion;
  const error = { code: errors[0]?.code ?? refusal.code, message: detail };
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
    ({ replicaIndex, parts }) => `${parts.length} of ${fileWords(made, replicaIndex)}`,
  );
  throw importIncomplete(missing, `Parts are missing: ${what.join(', ')}.`);
}

/**
 * Joins the parts. Another request, or an earlier one whose client has gone, may be joining them at the same time: then the store lists
 * fewer and fewer of them before the whole file is there. So missing parts are reported only when they stay missing.
 */
async function makeWhole(
  services: ImportServices,
  staging: StagingStore,
  view: ImportView,
  file: File,
  signal: AbortSignal,
): Promise<void> {
  if (file.isWhole) return;
  for (let looks = 1; ; looks += 1) {
    const found = await joinParts(services, staging, view, file, signal);
    if (!('refusal' in found))
      return markWhole(services.store.read, view.made.id, file.replicaIndex, found);
    if (looks === looksMax) {
      await found.forget();
      throw found.refusal;
    }
    await delay(lookAgainMs, undefined, { signal });
  }
}

/** Parts that the store does not have. */
interface LostParts {
  readonly refusal: Refusal;
  /** Makes the rows say so, too. */
  readonly forget: () => Promise<void>;
}

/** Returns the digests of the parts, by number, if the file is whole now. */
async function joinParts(
  { store }: ImportServices,
  staging: StagingStore,
  { made }: ImportView,
  { replicaIndex, sizeBytes, uploadId, head }: File,
  signal: AbortSignal,
): Promise<LostParts | ReadonlyMap<number, Buffer>> {
  // All parts are there, so the first one is, and with it the head.
  if (uploadId === null || (head === null && made.rows === null))
    throw new Error('a file has parts and no upload');
  const key = keyOf(made, replicaIndex, head);
  const known = await partDigests(store.read, made.id, replicaIndex);
  const inStore = await staging.parts(key, uploadId, signal);
  if (inStore !== undefined) {
    const count = partCount(sizeBytes, made.partSizeBytes);
    const { parts, wrong } = compareParts(count, known, inStore);
    if (wrong.length > 0) {
      return {
        refusal: importIncomplete(
          [{ replicaIndex, parts: wrong }],
          `The store has not the parts of ${fileWords(made, replicaIndex)} as they were sent. Send those that are missing again.`,
        ),
        forget: () => forgetParts(store.read, made.id, replicaIndex, wrong),
      };
    }
    if (await staging.complete(key, uploadId, parts, signal)) return known;
  }
  if ((await staging.sizeOf(key, signal)) === sizeBytes) return known;
  return {
    refusal: importIncomplete(
      [{ replicaIndex, parts: [...known.keys()] }],
      `The store no longer has the parts of ${fileWords(made, replicaIndex)}. Send all of them again.`,
    ),
    forget: () => forgetUpload(store.read, made.id, replicaIndex, uploadId),
  };
}

/** The parts as the store has them, and the numbers of those that are not there as they were recorded. */
function compareParts(
  count: number,
  known: ReadonlyMap<number, Buffer>,
  inStore: NonNullable<Awaited<ReturnType<StagingStore['parts']>>>,
): { readonly parts: readonly PartToJoin[]; readonly wrong: readonly number[] } {
  const parts: PartToJoin[] = [];
  const wrong: number[] = [];
  for (let number = 1; number <= count; number += 1) {
    const sha256 = known.get(number)?.toString('base64');
    const found = inStore.get(number);
    if (sha256 === undefined || found === undefined || (found.sha256 ?? sha256) !== sha256)
      wrong.push(number);
    else parts.push({ number, sha256, etag: found.etag });
  }
  return { parts, wrong };
}

/** Reads in the store what files with rows are. */
async function lookAtRows(
  staging: StagingStore,
  { made, files }: ImportView,
  signal: AbortSignal,
): Promise<readonly Refusal[]> {
  const errors = await Promise.all(
    files.map(async ({ replicaIndex, sizeBytes }): Promise<readonly FieldError[]> => {
      const key = keyOf(made, replicaIndex, null);
      const start = await staging.readStart(key, FILE_HEAD_SIZE, signal);
      const actual = await staging.sizeOf(key, signal);
      if (start !== undefined && actual === sizeBytes)
        return rowsErrors([{ index: replicaIndex, start }]);
      const detail = `The store has ${actual ?? 0} of its ${sizeBytes} bytes. Upload it again, in another import.`;
      return [{ pointer: `#/rows/${rowsNames[replicaIndex]}`, code: 'file_cut_short', detail }];
    }),
  );
  const all = errors.flat();
  return all.length === 0 ? [] : [rowsWrong(all)];
}

/** Reads in the store what the file is. */
async function look(
  staging: StagingStore,
  { made }: ImportView,
  { replicaIndex, sizeBytes, head }: File,
  signal: AbortSignal,
): Promise<LookedAt> {
  const key = keyOf(made, replicaIndex, head);
  const start = await staging.readStart(key, FILE_HEAD_SIZE_MAX, signal);
  const actual = (await staging.sizeOf(key, signal)) ?? 0;
  return {
    replicaIndex,
    sizeBytes: Math.min(actual, sizeBytes),
    head: readHead(start ?? new Uint8Array(0)),
  };
}
