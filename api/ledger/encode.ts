/** Encodes the engine's rows as the answer: a JSON envelope, or CSV. */
import type { LedgerRequest } from './decode.ts';
import { rowsToCsv, rowsToJson } from './encode-rows.ts';
import { statusesToJson, type Summary } from './encode-statuses.ts';
import type { Layout } from './layouts.ts';
import { missingIds } from './missing.ts';
import { rowsMax } from './operations.ts';
import { pageOf, type Page } from './page.ts';
import { operationDocumentation } from './statuses.ts';
import { utf8 } from './text-writer.ts';

export interface Warning {
  readonly code: 'account_without_history';
  readonly detail: string;
}

/** Returns the facts about the execution, which the codec's caller knows; called after the rows were written. */
type ExecutionOf = (counts: {
  readonly eventCount: number;
  readonly resultCount: number;
}) => Readonly<Record<string, string | number>>;

export interface EncodeOptions {
  readonly execution: ExecutionOf;
  readonly warnings?: readonly Warning[];
  /** CSV has the rows only; writes are always answered in JSON. */
  readonly format: 'json' | 'csv';
}

export interface EncodedReply {
  readonly contentType: string;
  readonly body: Uint8Array;
  /** The envelope's contents besides the rows. With CSV they are only here. */
  readonly summary?: Summary;
  readonly missing?: readonly string[];
  readonly page?: Page;
}

type About = Omit<EncodedReply, 'contentType' | 'body'>;

/** Returns `undefined` if the rows cannot be an answer to the request. `rows`: whole records of the operation's result. */
export function encodeReply(
  request: LedgerRequest,
  rows: Uint8Array,
  options: EncodeOptions,
): EncodedReply | undefined {
  const layout = request.operation.rows;
  if (layout === 'statuses') {
    if (rows.length !== request.count * request.operation.resultSize) return undefined;
    const { json, summary } = statusesToJson(request, rows);
    return enveloped(request, json, request.count, { summary }, options);
  }
  const read = select(request, rows, layout);
  if (read === undefined) return undefined;
  if (options.format === 'csv') {
    const body = rowsToCsv(read.rows, layout);
    return { contentType: 'text/csv; charset=utf-8; header=present', body, ...read.about };
  }
  const json = rowsToJson(read.rows, layout);
  return enveloped(request, json, read.rows.length / layout.size, read.about, options);
}

function select(
  request: LedgerRequest,
  rows: Uint8Array,
  layout: Layout,
): { readonly rows: Uint8Array; readonly about: About } | undefined {
  const { input } = request.operation;
  const { limit } = request;
  if (input.kind === 'filter' && limit !== undefined) {
    if (rows.length > Math.min(limit + 1, rowsMax) * layout.size) return undefined;
    const paged = pageOf({ ...request, limit }, input.layout, rows, layout);
    return { rows: paged.rows, about: { page: paged.page } };
  }
  const missing = missingIds(request, rows, layout.size);
  return missing && { rows, about: { missing } };
}

function enveloped(
  { operation, count }: LedgerRequest,
  result: Uint8Array,
  resultCount: number,
  about: About,
  { execution, warnings = [] }: EncodeOptions,
): EncodedReply {
  const head = JSON.stringify({
    success: true,
    operation: operation.name,
    execution: { kind: operation.kind, ...execution({ eventCount: count, resultCount }) },
    documentationUrl: operationDocumentation(operation.name),
    ...about,
    ...(warnings.length > 0 && { warnings }),
  });
  const opening = utf8(`${head.slice(0, -1)},"result":`);
  const body = new Uint8Array(opening.length + result.length + 1);
  body.set(opening);
  body.set(result, opening.length);
  body[body.length - 1] = 0x7d;
  return { contentType: 'application/json; charset=utf-8', body, ...about };
}
