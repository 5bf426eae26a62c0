/** Checks, before a cluster exists, whether a cluster can be filled with a ledger. */
import { ArchiveError } from '../archive/errors.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import { batchSizeLimitProduction } from '../wire/limits.ts';
import { Account, ChangeEvent } from '../wire/records.ts';
import { timestampOf } from './cluster-reader.ts';
import { importedTransfer, isLinked } from './imported-rows.ts';
import type { LedgerReader } from './ledger-reader.ts';

/** Rows of a request, without the one that its end takes. */
const ROWS_MAX = Math.floor(batchSizeLimitProduction / (Account.words * 4)) - 1;
const MS = 1_000_000n;

interface Fillable {
  readonly ledger: StateMachine;
  readonly source: LedgerReader;
  readonly dropsTimeouts: boolean;
  readonly nowMs: number;
}

/** Returns how many rows there are. */
export async function checkFillable({
  ledger,
  source,
  dropsTimeouts,
  nowMs,
}: Fillable): Promise<{ readonly accounts: number; readonly events: number }> {
  requireNoTimeouts(ledger, dropsTimeouts);
  const accounts = await checkRows(source.accounts(), Account.timestamp, nowMs, (row) => row);
  const events = await checkRows(source.events(), ChangeEvent.timestamp, nowMs, importedTransfer);
  return { accounts, events };
}

export function requireNoTimeouts(ledger: StateMachine, dropsTimeouts: boolean): void {
  if (ledger.nextExpiry() === undefined || dropsTimeouts) return;
  throw new ArchiveError(
    'timeouts_open',
    'Pending transfers with a timeout are open, and imported transfers have none: they would never expire. Wait until they have expired, or post or void them, and back up again; or let them lose their timeouts (--drop-timeouts, dropTimeouts), and void them yourself.',
  );
}

async function checkRows(
  rows: AsyncIterable<Uint8Array>,
  timestampWord: number,
  nowMs: number,
  recordOf: (row: Uint8Array) => Uint8Array,
): Promise<number> {
  let count = 0;
  let chain = 0;
  let newest = 0n;
  for await (const row of rows) {
    count += 1;
    newest = timestampOf(row, timestampWord);
    chain = isLinked(recordOf(row)) ? chain + 1 : 0;
    if (chain >= ROWS_MAX)
      throw new ArchiveError(
        'chain_too_long',
        `A chain has more than ${ROWS_MAX} rows, which is more than TigerBeetle takes at once.`,
      );
  }
  // TigerBeetle imports nothing from its future.
  if (newest > BigInt(nowMs) * MS)
    throw new ArchiveError(
      'timestamps_ahead',
      `The newest row has the timestamp ${newest}, which is ahead of this clock: TigerBeetle refuses rows of its future. Wait until then, or mend the clock of the nodes.`,
    );
  return count;
}
