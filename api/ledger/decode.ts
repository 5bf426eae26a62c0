/** Decodes the text of a request into the engine's format. It finds every error that can be known without asking the ledger. */
import { decodeEvents } from './decode-events.ts';
import { decodeFilter } from './decode-filter.ts';
import { decodeIds } from './decode-ids.ts';
import type { Events } from './events.ts';
import { EnoughIssues, Issues } from './issues.ts';
import { JsonReader, MalformedJson } from './json-reader.ts';
import { eventsMax, type LedgerOperation, type WireOperation } from './operations.ts';
import { ledgerProblem, type LedgerProblem } from '../model/ledger-problems.ts';

/** Largest body in bytes: 8,189 transfers with every property at its longest take about 5 MB. */
export const ledgerBodyMax = 8 * 1024 * 1024;

/** The request that the gateway sends. */
export interface WireRequest {
  readonly operation: WireOperation;
  /** Accounts, transfers, ids or one filter in wire format, one after another. */
  readonly events: Uint8Array;
  readonly count: number;
  /** Maximum number of rows that the caller wants, for operations with a filter; the filter itself asks for one more. */
  readonly limit: number | undefined;
}

export interface LedgerRequest extends WireRequest {
  readonly operation: LedgerOperation;
}

type Decoded =
  | { readonly ok: true; readonly request: LedgerRequest }
  | { readonly ok: false; readonly problem: LedgerProblem };

/** `body` is the complete UTF-8 text, decompressed. */
export function decodeRequest(operation: LedgerOperation, body: Uint8Array): Decoded {
  if (body.length > ledgerBodyMax) {
    return refused('payload_too_large', {
      detail: `The body has ${body.length} bytes; the maximum is ${ledgerBodyMax}. Split it into several requests.`,
      limitBytes: ledgerBodyMax,
    });
  }
  const json = new JsonReader(body);
  const issues = new Issues();
  try {
    const decoded = decodeInput(operation, json, issues);
    // The rest cannot reduce the count, so it is not read.
    if (decoded.count > eventsMax) return tooManyEvents;
    json.end();
    const problem = issues.problem();
    return problem === undefined
      ? { ok: true, request: { operation, ...decoded } }
      : { ok: false, problem };
  } catch (error) {
    const problem = error instanceof EnoughIssues ? issues.problem() : undefined;
    if (problem !== undefined) return { ok: false, problem };
    if (!(error instanceof MalformedJson)) throw error;
    return refused('malformed_json', {
      detail: `The body is not valid JSON at byte ${error.offset}: ${error.message}.`,
      offset: error.offset,
    });
  }
}

function decodeInput(operation: LedgerOperation, json: JsonReader, issues: Issues): Events {
  const { input } = operation;
  if (input.kind === 'events') return decodeEvents(input, json, issues);
  if (input.kind === 'ids') return decodeIds(json, issues);
  return decodeFilter(input.layout, json, issues);
}

const refused = (...problem: Parameters<typeof ledgerProblem>): Decoded => ({
  ok: false,
  problem: ledgerProblem(...problem),
});

const tooManyEvents = refused('batch_too_large', {
  detail: `The body has more than ${eventsMax} events, the maximum of one request. Split it into several requests.`,
  maxEventsPerBatch: eventsMax,
});
