/**
 * Guard against imported transfers that meet an expiry. TigerBeetle keeps one change event for each timestamp: a transfer's under its own,
 * an expiry's under that of the moment. An imported transfer with the timestamp of an expiry is accepted, and some requests later, when
 * both events are written to the same table, the process ends, and again after each restart. No release is known in which this is mended,
 * so that all count as affected. Our own engine keeps both.
 *
 * The cluster is therefore asked for its events of these timestamps before a byte of the request is sent. Its answer has its time: later
 * expiries have later timestamps. So a transfer that is not after that time, and met no expiry in the answer, never meets one,
 * whenever it is executed.
 */
import { systemTimers } from '../../base/timers.ts';
import { changeEventsFilter } from '../../engine/wire/filters.ts';
import { importedTransfers } from '../../engine/wire/imported-post.ts';
import { ChangeEvent } from '../../engine/wire/records.ts';
import { changeEventTypes } from '../ledger/change-event-types.ts';
import { getChangeEvents } from '../ledger/operations.ts';
import type { GatewayReply } from './call.ts';
import type { Target } from './connection.ts';
import { GatewayFailure } from './failures.ts';
import { deadlineRange, type Gateway } from './gateway.ts';

/** Maximum number of events of a page. A cluster may give fewer. */
const pageMax = 2_000;
/** Pages that are read for one request. One that needs more has its transfers among a great many events. */
export const pagesMax = 16;
const eventSize = ChangeEvent.words * 4;
const expired = changeEventTypes.indexOf('two_phase_expired');

/** Reason why imported transfers are not sent. */
export interface ImportDanger {
  /** Index of the transfer among the records of the request. */
  readonly index: number;
  readonly detail: string;
  readonly advice: string;
}

interface LookOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly requestId?: string;
}

/**
 * Looks for an expiry that one of these records of transfers would meet. Costs nothing for other engines, and for transfers that are not
 * imported. Rejects with a GatewayFailure if the ledger cannot be asked; nothing was executed then.
 */
export async function metExpiry(
  gateway: Gateway,
  engine: string,
  target: Target,
  transfers: Uint8Array,
  { timeoutMs, ...options }: LookOptions,
): Promise<ImportDanger | undefined> {
  if (engine !== 'TigerBeetle') return undefined;
  const endsAtMs = systemTimers.nowMs() + timeoutMs;
  return dangerOf(transfers, async (from, until) => {
    const events = changeEventsFilter({ from, until, limit: pageMax });
    const request = { operation: getChangeEvents, events, count: 1, limit: pageMax };
    const leftMs = endsAtMs - systemTimers.nowMs();
    if (leftMs < deadlineRange.minMs) throw notAsked('the time of the request is over');
    try {
      return await gateway.submit(target, request, { ...options, timeoutMs: leftMs });
    } catch (error) {
      if (!(error instanceof GatewayFailure) || error.code === 'abandoned') throw error;
      throw notAsked(error.message);
    }
  });
}

type ReadEvents = (
  from: bigint,
  until: bigint,
) => Promise<Pick<GatewayReply, 'rows' | 'timestamp'>>;

/** `read` returns the first events of a range of timestamps. */
export async function dangerOf(
  transfers: Uint8Array,
  read: ReadEvents,
): Promise<ImportDanger | undefined> {
  const imports = importedTransfers(transfers);
  const last = imports.at(-1);
  if (last === undefined) return undefined;
  let next = 0;
  for (let pages = 0; next < imports.length; pages += 1) {
    const { timestamp: from, index } = imports[next]!;
    if (pages === pagesMax) return { index, ...tooMany };
    const { rows, timestamp: now } = await read(from, last.timestamp);
    if (rows.length === 0) {
      const later = imports.slice(next).find(({ timestamp }) => timestamp > now);
      return later && { index: later.index, ...tooNew(later.timestamp, now) };
    }
    const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
    let seen = from;
    for (let at = 0; at < rows.length; at += eventSize) {
      seen = view.getBigUint64(at + ChangeEvent.timestamp * 4, true);
      while (next < imports.length && imports[next]!.timestamp < seen) next += 1;
      const meeting = imports[next];
      const isExpiry = view.getUint8(at + ChangeEvent.type * 4) === expired;
      if (isExpiry && meeting?.timestamp === seen)
        return { index: meeting.index, ...meets(meeting.timestamp) };
    }
    while (next < imports.length && imports[next]!.timestamp <= seen) next += 1;
  }
  return undefined;
}

const meets = (timestamp: bigint) => ({
  detail: `A pending transfer expired at the timestamp ${timestamp}. A transfer that is imported with the same one would end this cluster of TigerBeetle for good.`,
  advice: 'Import it with another timestamp.',
});

const tooNew = (timestamp: bigint, now: bigint) => ({
  detail: `The timestamp ${timestamp} of an imported transfer is after the cluster's time ${now}. A pending transfer may yet expire at it, and both together would end this cluster of TigerBeetle for good.`,
  advice: 'Import transfers of the past only.',
});

const tooMany = {
  detail:
    'The ledger has too many events between the timestamps of these imported transfers to look for expiries that they would meet.',
  advice: 'Send fewer of them in one request.',
};

const notAsked = (why: string): GatewayFailure =>
  new GatewayFailure(
    'ledger_unavailable',
    'not_executed',
    `The ledger could not be asked for expiries that the imported transfers would meet (${why}). Nothing was executed.`,
  );
