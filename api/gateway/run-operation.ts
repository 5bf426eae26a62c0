/** Runs one ledger operation: from the bytes of a request's body to those of its answer, or to a problem. */
import { systemTimers, type Timers } from '../../base/timers.ts';
import { AccountFlag } from '../../engine/wire/flags.ts';
import { decodeRequest, type LedgerRequest } from '../ledger/decode.ts';
import { encodeReply, type EncodedReply, type Warning } from '../ledger/encode.ts';
import { account, offsetOf } from '../ledger/layouts.ts';
import { ledgerOperations, type LedgerOperation } from '../ledger/operations.ts';
import type { LedgerProblem } from '../model/ledger-problems.ts';
import { rowsOf, type GatewayReply } from './call.ts';
import type { Target } from './connection.ts';
import { GatewayFailure, sameIds } from './failures.ts';
import { problemOfFailure } from './problems.ts';
import { metExpiry } from './met-expiry.ts';
import { unsafeImport, unsafeRequest } from './unsafe-request.ts';
import { deadlineRange, type Gateway } from './gateway.ts';

export interface OperationContext {
  readonly target: Target;
  /** The organization that gets a fair share of this process's time. */
  readonly owner: string;
  /** Takes the request's cost, in events or records, from a limit. Rejects when the limit is used up. */
  readonly takeEvents?: (count: number) => Promise<void>;
  /** Reserves room for an answer of this size until it has been sent. With `mayRefuse` it throws if there is none. */
  readonly holdAnswer?: (bytes: number, mayRefuse: boolean) => void;
  readonly requestId: string;
  /** Name of the engine in the catalog. */
  readonly engine: string;
  readonly engineVersion: string;
  /** Change streams of the database are on. */
  readonly streams: boolean;
  readonly format: 'json' | 'csv';
  /** Time for the whole operation, from now. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface LedgerAnswer extends EncodedReply {
  readonly ok: true;
  /** For the Server-Timing header. */
  readonly ledgerMs: number;
  readonly gatewayMs: number;
}

interface LedgerRefusal {
  readonly ok: false;
  /** `undefined` when the caller has gone and nobody can be answered. */
  readonly problem: LedgerProblem | undefined;
}

/**
 * `body` is the request's raw body, decompressed. Failures of the caller, the engine or the network never make it reject; a
 * limit that is used up does.
 */
export async function runOperation(
  gateway: Gateway,
  operation: LedgerOperation,
  body: Uint8Array,
  context: OperationContext,
  timers: Timers = systemTimers,
): Promise<LedgerAnswer | LedgerRefusal> {
  const startedMs = timers.nowMs();
  const { turns } = gateway;
  const { owner, signal } = context;
  const decoded = await turns.run(owner, () =>
    signal?.aborted === true ? undefined : decodeRequest(operation, body),
  );
  if (decoded === undefined) return { ok: false, problem: undefined };
  if (!decoded.ok) return decoded;
  const { request } = decoded;
  const { engine: name, engineVersion: version, streams } = context;
  const unsafe = unsafeRequest(request, { name, version, streams });
  if (unsafe !== undefined) return { ok: false, problem: unsafe };
  await context.takeEvents?.(rowsOf(request));
  try {
    const { timeoutMs = deadlineRange.defaultMs } = context;
    const lookedMs = timers.nowMs();
    // Without this wait, requests to any other engine are sent in the order in which they came.
    if (name === 'TigerBeetle' && operation === ledgerOperations.create_transfers) {
      const met = await metExpiry(gateway, name, context.target, request.events, {
        ...context,
        timeoutMs,
      });
      if (met !== undefined) return { ok: false, problem: unsafeImport(met) };
    }
    const reply = await gateway.submit(context.target, request, {
      ...context,
      timeoutMs: timeoutMs - (timers.nowMs() - lookedMs),
      bodyBytes: body.length,
    });
    const isRead = operation.kind === 'read';
    // The records wait for their turn, and only this bounds how many wait.
    context.holdAnswer?.(reply.rows.length, isRead);
    const spentMs = timers.nowMs() - startedMs;
    const warnings = await warningsOf(gateway, request, reply, context, spentMs);
    const answer = await turns.run(owner, () =>
      signal?.aborted === true
        ? undefined
        : encoded(gateway, request, reply, context, { warnings, startedMs, timers }),
    );
    if (answer === undefined) return { ok: false, problem: undefined };
    if (answer.ok) context.holdAnswer?.(answer.body.length, isRead);
    return answer;
  } catch (error) {
    if (!(error instanceof GatewayFailure)) throw error;
    return { ok: false, problem: problemOfFailure(error) };
  }
}

interface Course {
  readonly warnings: readonly Warning[];
  readonly startedMs: number;
  readonly timers: Timers;
}

function encoded(
  gateway: Gateway,
  request: LedgerRequest,
  { rows, ledgerMs }: GatewayReply,
  { target, requestId, engineVersion, format }: OperationContext,
  { warnings, startedMs, timers }: Course,
): LedgerAnswer | LedgerRefusal {
  let durationMs = 0;
  const reply = encodeReply(request, rows, {
    format,
    warnings,
    execution: ({ eventCount, resultCount }) => {
      durationMs = timers.nowMs() - startedMs;
      return {
        requestId,
        databaseId: target.databaseId,
        clusterId: String(target.cluster),
        engineVersion,
        eventCount,
        resultCount,
        gatewayMs: rounded(durationMs - ledgerMs),
        ledgerMs: rounded(ledgerMs),
        durationMs: rounded(durationMs),
        executedAt: new Date(timers.wallMs()).toISOString(),
      };
    },
  });
  if (reply === undefined) {
    gateway.distrust(target.databaseId);
    const failure = new GatewayFailure('gateway_bad_reply', 'unknown', notAnAnswer);
    return { ok: false, problem: problemOfFailure(failure) };
  }
  const tookMs = timers.nowMs() - startedMs;
  return { ok: true, ...reply, ledgerMs: rounded(ledgerMs), gatewayMs: rounded(tookMs - ledgerMs) };
}

const notAnAnswer = `The ledger's answer does not belong to this request. ${sameIds}`;

const rounded = (ms: number): number => Math.round(ms * 100) / 100;

const historyFlagAt = offsetOf(account, 'flags');

/**
 * Warns about an account without `history`: it has no balances, and its empty answer looks like that of an account without
 * transfers.
 */
async function warningsOf(
  gateway: Gateway,
  request: LedgerRequest,
  { rows }: GatewayReply,
  { target, requestId, timeoutMs = deadlineRange.defaultMs, signal }: OperationContext,
  spentMs: number,
): Promise<readonly Warning[]> {
  const asksForBalances = request.operation === ledgerOperations.get_account_balances;
  if (!asksForBalances || rows.length > 0) return [];
  const left = timeoutMs - spentMs;
  if (left < deadlineRange.minMs) return [];
  const lookup: LedgerRequest = {
    operation: ledgerOperations.lookup_accounts,
    // The filter begins with the account's id.
    events: request.events.subarray(0, 16),
    count: 1,
    limit: undefined,
  };
  let found: Uint8Array;
  try {
    const options = { timeoutMs: left, requestId, ...(signal && { signal }) };
    found = (await gateway.submit(target, lookup, options)).rows;
  } catch (error) {
    // The answer exists; it only lacks the warnings.
    if (error instanceof GatewayFailure) return [];
    throw error;
  }
  if (found.length !== account.size) return [];
  const flags = new DataView(found.buffer, found.byteOffset).getUint16(historyFlagAt, true);
  if ((flags & AccountFlag.history) !== 0) return [];
  const detail =
    'The account was created without the flag “history”, so the ledger keeps no past balances of it.';
  return [{ code: 'account_without_history', detail }];
}
