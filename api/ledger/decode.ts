/** From the text of a request to what the engine takes: everything that can be known to be wrong without asking the ledger is found here. */
import { decodeEvents } from './decode-events.ts';
import { decodeFilter } from './decode-filter.ts';
import { decodeIds } from './decode-ids.ts';
import type { Events } from './events.ts';
import { EnoughIssues, Issues } from './issues.ts';
import { JsonReader, MalformedJson } from './json-reader.ts';
import { eventsMax, type LedgerOperation } from './operations.ts';
import { ledgerProblem, type LedgerProblem } from '../model/ledger-problems.ts';

/** The largest body: 8,189 transfers with every property as long as it can be are some 5 MB. */
export const ledgerBodyMax = 8 * 1024 * 1024;

export interface LedgerRequest {
  readonly operation: LedgerOperation;
  /** Accounts, transfers, ids or one filter as the wire lays them out, one after another. */
  readonly events: Uint8Array;
  readonly count: number;
  /** Rows that the caller wants at most, for operations with a filter; the filter itself asks for one more. */
  readonly limit: number | undefined;
}

export type Decoded =
  | { readonly ok: true; readonly request: LedgerRequest }
  | { readonly ok: false; readonly problem: LedgerProblem };

/** `body`: UTF-8, whole, after decompression. */
export function decodeRequest(operation: LedgerOperation, body: Uint8Array): Decoded {
  if (body.length > ledgerBodyMax) {
    return refused('payload_too_large', {
      detail: `The body has ${body.length} bytes, more than the ${ledgerBodyMax} that are allowed; send it in parts.`,
      limitBytes: ledgerBodyMax,
    });
  }
  const json = new JsonReader(body);
  const issues = new Issues();
  try {
    const decoded = decodeInput(operation, json, issues);
    // Nothing that follows makes it fewer: the rest is not read.
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
  detail: `The body holds more than the ${eventsMax} events that one request may hold; send several requests.`,
  maxEventsPerBatch: eventsMax,
});
