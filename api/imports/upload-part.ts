/**
 * Takes a part of a file. The store has it before a row says so: after a crash in between, the client sends it again and the store
 * writes the same over it. A part that is there is answered without looking at the store.
 */
import { rowsNames } from '../../domain/import-files/row-files.ts';
import { FILE_HEAD_SIZE_MAX } from '../../domain/import-files/file-head.ts';
import { partBytes, partCount, type ImportHead } from '../model/import.ts';
import { Refusal } from '../model/refusal.ts';
import {
  findImport,
  forgetUpload,
  partDigest,
  recordHead,
  recordPart,
  recordUpload,
  type ImportView,
} from '../store/imports.ts';
import { checkedDigest } from './digest.ts';
import { headIn, readHead, recordedHead, requireSound, sameHead } from './heads.ts';
import type { ImportServices } from './import-services.ts';
import { requireRows } from './rows-heads.ts';
import { fileWords, keyOf } from './staged-files.ts';
import { importClosed, importIncomplete, importNotFound, requireStaging } from './refusal.ts';

export interface PartRequest {
  readonly organizationId: string;
  readonly importId: string;
  readonly replicaIndex: number;
  readonly number: number;
  readonly contentDigest: string | undefined;
  readonly bytes: Uint8Array;
  /** Aborts when the client has gone, or the request takes too long. */
  readonly signal: AbortSignal;
}

type File = ImportView['files'][number];

/** Returns the import with the part. Throws a `Refusal`. */
export async function uploadPart(
  services: ImportServices,
  request: PartRequest,
): Promise<ImportView> {
  const { store } = services;
  const { organizationId, importId, replicaIndex, number, bytes } = request;
  const view = await findImport(store.read, organizationId, importId);
  if (view === undefined) throw importNotFound(importId);
  const file = fileOf(view, replicaIndex);
  requireLength(view, file, request);
  const sha256 = checkedDigest(request.contentDigest, bytes);
  const known = await partDigest(store.read, importId, replicaIndex, number);
  if (known !== undefined) {
    if (known.equals(sha256)) return view;
    throw new Refusal('import_part_wrong', {
      detail: `Part ${number} of ${fileWords(view.made, replicaIndex)} is there with other bytes. Send the same file on, or delete the import and begin another one.`,
    });
  }
  if (view.made.status !== 'UPLOADING' || view.made.expiresAt <= services.now()) {
    throw importClosed(view.made);
  }
  const staging = requireStaging(services.staging);
  const key = await checkedKey(services, view, file, request);
  const { signal } = request;
  const uploadId = file.uploadId ?? (await begin(services, request, key));
  const part = { number, bytes, sha256: sha256.toString('base64') };
  if (!(await staging.uploadPart(key, uploadId, part, signal))) {
    await forgetUpload(store.read, importId, replicaIndex, uploadId);
    throw storeForgot(view, replicaIndex, partCount(file.sizeBytes, view.made.partSizeBytes));
  }
  const isOpen = await recordPart(store.read, importId, uploadId, { replicaIndex, number, sha256 });
  const after = await findImport(store.read, organizationId, importId);
  if (after === undefined) throw importNotFound(importId);
  if (isOpen) return after;
  if (after.made.status !== 'UPLOADING') throw importClosed(after.made);
  throw storeForgot(view, replicaIndex, partCount(file.sizeBytes, view.made.partSizeBytes));
}

export function fileOf({ files, made }: ImportView, replicaIndex: number): File {
  const file = files.find((one) => one.replicaIndex === replicaIndex);
  if (file !== undefined) return file;
  const detail =
    made.rows === null
      ? `The import has files for the replicas 0 to ${files.length - 1}.`
      : `The import has ${files.map((one) => `the file ${one.replicaIndex} with ${rowsNames[one.replicaIndex]}`).join(' and ')}.`;
  throw new Refusal('invalid_parameter', {
    detail,
    errors: [{ parameter: 'replicaIndex', code: 'out_of_range', detail }],
  });
}

function requireLength(
  { made: { partSizeBytes } }: ImportView,
  { sizeBytes }: File,
  { number, bytes }: PartRequest,
): void {
  const expected = partBytes(sizeBytes, partSizeBytes, number);
  if (expected === bytes.length && expected > 0) return;
  const count = partCount(sizeBytes, partSizeBytes);
  const detail =
    expected === 0
      ? `The file has ${sizeBytes} bytes and so the parts 1 to ${count}.`
      : `Part ${number} of ${count} has ${expected} bytes, the body ${bytes.length}.`;
  throw new Refusal('import_part_wrong', { detail });
}

/** Key of the file in the store. What its first part says is compared before anything is stored. */
async function checkedKey(
  services: ImportServices,
  view: ImportView,
  file: File,
  request: PartRequest,
): Promise<string> {
  const { replicaIndex, number, bytes } = request;
  if (view.made.rows === null)
    return keyOf(view.made, replicaIndex, await headOf(services, view, file, request));
  if (number === 1) requireRows([{ index: replicaIndex, start: bytes }]);
  return keyOf(view.made, replicaIndex, null);
}

/** The head of the file. The first part has it; what it says is compared before anything is stored. */
async function headOf(
  { store, catalog, now }: ImportServices,
  view: ImportView,
  file: File,
  { importId, replicaIndex, number, bytes }: PartRequest,
): Promise<ImportHead> {
  if (number > 1) {
    if (file.head !== null) return file.head;
    throw importIncomplete(
      [{ replicaIndex, parts: [1] }],
      `Send part 1 of the file of replica ${replicaIndex} first: it tells what the file is.`,
    );
  }
  const start = bytes.subarray(0, FILE_HEAD_SIZE_MAX);
  const looked = view.files.map((one) => ({
    replicaIndex: one.replicaIndex,
    sizeBytes: one.sizeBytes,
    head: one === file ? readHead(start) : recordedHead(one.head),
  }));
  requireSound(looked, catalog().spec, now());
  const head = headIn(start);
  // It has no fault, so it is a head.
  if (head === null) throw new Error('a sound file has no head');
  if (file.head !== null && !sameHead(file.head, head)) {
    const detail = `The file of replica ${replicaIndex} does not begin with the head that was announced. Send the file itself, or delete the import and begin another one.`;
    throw new Refusal('import_part_wrong', { detail });
  }
  await recordHead(store.read, importId, replicaIndex, head);
  return head;
}

/** Begins the upload of a file. Of several that begin at once, the first one that is recorded counts; the others go with the import. */
async function begin(
  { store, staging }: ImportServices,
  { importId, replicaIndex, signal }: PartRequest,
  key: string,
): Promise<string> {
  const begun = await requireStaging(staging).beginUpload(key, signal);
  return recordUpload(store.read, importId, replicaIndex, begun);
}

const storeForgot = ({ made }: ImportView, replicaIndex: number, count: number): Refusal =>
  importIncomplete(
    [{ replicaIndex, parts: Array.from({ length: Math.min(count, 100) }, (_, at) => at + 1) }],
    `The store no longer has the parts of ${fileWords(made, replicaIndex)}. Send all of them again.`,
  );
