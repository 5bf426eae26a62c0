/** Stages files in the service: begins an import, sends its missing parts, and completes it. */
import { rowsNames } from '../../domain/import-files/row-files.ts';
import { hash } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import type { Import } from '../../gen/api.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { contractRequest, receive } from '../http/contract.ts';
import type { ApiRequest } from '../http/request.ts';
import { printable } from '../output/printable.ts';
import { Patience } from '../patience.ts';
import { UploadProgress } from './progress.ts';
import type { ImportSource, SourceFile } from './source-files.ts';
import { partsOf, uploadParts, type Part } from './upload.ts';

const oneImport = '/api/v1/imports/{importId}';
/** The API holds parts in memory while it stores them, and limits the bytes of each organization (48 MiB). */
const inFlightBytesMax = 32 * 2 ** 20;
/** Shorter than the minute that the API waits for a request, so that a slow line shows as a timeout here. */
const partTimeoutMs = 55_000;
/** Longer than a restart of the service, or of a router. */
const patienceMs = 15 * 60_000;
/** Longer than the API's own deadline of 50 s. */
const completionTimeoutMs = 60_000;

/** The service compares the heads again: only it knows the releases of its engines. */
export async function beginImport(
  { service }: Context,
  { kind, files }: ImportSource,
  ignoreBalances: boolean,
): Promise<Import> {
  const { exchange } = await service();
  const described = files.map(({ file }) => ({
    sizeBytes: file.sizeBytes,
    head: Buffer.from(file.headBytes).toString('base64'),
  }));
  const [accounts, transfers] = described;
  assert(accounts !== undefined, 'an import has files');
  const body =
    kind === 'ROWS'
      ? { rows: { accounts, ...(transfers !== undefined && { transfers }), ignoreBalances } }
      : { files: described.map((file, replicaIndex) => ({ replicaIndex, ...file })) };
  const request = contractRequest('post', '/api/v1/imports', { body });
  const { document } = await receive(exchange, request).catch((error: unknown) => {
    throw withFileNames(error, files);
  });
  return document.import;
}

interface Staged {
  readonly found: Import;
  readonly files: readonly SourceFile[];
  /** Whether requests that fail are repeated. */
  readonly retry: boolean;
}

/** Returns when the import is READY, or its rows are tried. */
export async function stageFiles(
  context: Context,
  { found, files, retry }: Staged,
  signal: AbortSignal,
): Promise<void> {
  const { output, timers } = context;
  const patience = new Patience({
    patienceMs: retry ? patienceMs : 0,
    onTrouble: ({ message }) =>
      output.note(`${printable(message)}; the upload continues when the service answers again`),
    timers,
    random: Math.random,
  });
  const { exchange } = await context.service();
  await sendParts(context, { found, files, patience }, signal);
  for (const { file } of files) await file.requireUnchanged();
  output.note('all parts are uploaded; the service checks the files');
  const request = {
    ...contractRequest('post', `${oneImport}/complete`, { params: { importId: found.id } }),
    timeoutMs: completionTimeoutMs,
    // Repeating a completion changes nothing.
    writes: false,
  };
  const complete = () => exchange.send(request, { signal, once: true });
  await patience.until(signal, complete).catch((error: unknown) => {
    throw withFileNames(error, files);
  });
}

interface Sent {
  readonly found: Import;
  readonly files: readonly SourceFile[];
  readonly patience: Patience;
}

async function sendParts(
  context: Context,
  { found, files, patience }: Sent,
  signal: AbortSignal,
): Promise<void> {
  const { output, timers } = context;
  const { exchange } = await context.service();
  const all = files.flatMap(({ file, index }) =>
    partsOf(index, file.sizeBytes, found.partSizeBytes),
  );
  const there = new Map(
    found.files.map(({ replicaIndex, parts }) => [replicaIndex, new Set(parts)]),
  );
  // The first part is always sent. The service compares it with its own copy and so refuses another export of the same state: its
  // size and head may be equal, but its key is another.
  const parts = all.filter(
    ({ replicaIndex, partNumber }) =>
      partNumber === 1 || there.get(replicaIndex)?.has(partNumber) !== true,
  );
  const totalBytes = bytesOf(all);
  const beforeBytes = totalBytes - bytesOf(parts);
  const send = async (part: Part, stop: AbortSignal): Promise<void> => {
    const source = files[part.replicaIndex];
    assert(source !== undefined, 'a part is of one of the files');
    const request = partRequest(found.id, part, await source.file.read(part));
    await exchange.send(request, { signal: stop, once: true });
  };
  const progress = new UploadProgress({ output, timers }, { totalBytes, beforeBytes });
  const onSent = ({ sizeBytes }: Part) => progress.sent(sizeBytes);
  try {
    await uploadParts({ parts, inFlightBytesMax, patience, timers, send, onSent }, signal);
  } finally {
    progress.close();
  }
}

const partRequest = (
  importId: string,
  { replicaIndex, partNumber }: Part,
  body: Uint8Array,
): ApiRequest => ({
  ...contractRequest('put', `${oneImport}/files/{replicaIndex}/parts/{partNumber}`, {
    params: { importId, replicaIndex: String(replicaIndex), partNumber: String(partNumber) },
    body,
  }),
  contentType: 'application/octet-stream',
  contentDigest: `sha-256=:${hash('sha256', body, 'base64')}:`,
  timeoutMs: partTimeoutMs,
  // Repeating a part changes nothing.
  writes: false,
});

const bytesOf = (parts: readonly Part[]): number =>
  parts.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0);

/** Adds the names of local files to the API's errors, which name files by their index in the request. */
function withFileNames(error: unknown, files: readonly SourceFile[]): unknown {
  if (!(error instanceof CliFailure)) return error;
  const { errors } = error.fields.problem ?? {};
  if (!Array.isArray(errors)) return error;
  const named = errors.map((one: unknown) => {
    const { pointer } = one as { readonly pointer?: unknown };
    const [, place, rows] =
      /^#\/(?:files\/(\d+)|rows\/(accounts|transfers))/.exec(String(pointer)) ?? [];
    const index =
      place === undefined ? rowsNames.findIndex((name) => name === rows) : Number(place);
    const file = files[index]?.file.name;
    return file === undefined ? one : { ...(one as object), file };
  });
  return new CliFailure({
    ...error.fields,
    problem: { ...error.fields.problem, errors: named },
  });
}
