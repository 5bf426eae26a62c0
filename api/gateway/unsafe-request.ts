/** Refuses what must not reach a ledger, before it leaves: what would end a cluster for good, and what its change streams would miss. */
import { endsByImportedPost, importedIn, importedPostIn } from '../../engine/wire/imported-post.ts';
import type { LedgerRequest } from '../ledger/decode.ts';
import { ledgerOperations } from '../ledger/operations.ts';
import { ledgerProblem, type LedgerProblem } from '../model/ledger-problems.ts';
import type { ImportDanger } from './met-expiry.ts';

export interface Engine {
  readonly name: string;
  readonly version: string;
  /** Change streams of the database are on. */
  readonly streams: boolean;
}

/** An imported transfer may have a timestamp below that of an expiry that a stream has sent: it would never get it. */
export const missedByStreams =
  'Imported transfers have timestamps of the past, which the database’s change streams may have left behind.';

/** Returns the problem of a request that this engine would not survive, or that its change streams would miss. */
export function unsafeRequest(
  { operation, events }: LedgerRequest,
  { name, version, streams }: Engine,
): LedgerProblem | undefined {
  if (operation !== ledgerOperations.create_transfers) return undefined;
  const missed = streams ? importedIn(events) : undefined;
  if (missed !== undefined) {
    return ledgerProblem('cdc_enabled', {
      detail: `${missedByStreams} Nothing was executed. Pause the streams, import, and resume them; what is imported then is not pushed unless its timestamps are above their positions.`,
      outcome: 'not_executed',
      errors: [{ pointer: `#/${missed}/flags`, code: 'cdc_enabled', detail: missedByStreams }],
    });
  }
  const index = endsByImportedPost(name, version) ? importedPostIn(events) : undefined;
  if (index === undefined) return undefined;
  const detail = `An imported post or void of a pending transfer would end this cluster of TigerBeetle ${version} for good.`;
  return ledgerProblem('validation_failed', {
    detail: `${detail} Nothing was executed. Import such a transfer after an upgrade to a release above 0.17.9, or without “imported”.`,
    outcome: 'not_executed',
    errors: [{ pointer: `#/${index}/flags`, code: 'unsafe_request', detail }],
  });
}

/** The problem of a request with imported transfers that this engine may not survive. */
export const unsafeImport = ({ index, detail, advice }: ImportDanger): LedgerProblem =>
  ledgerProblem('validation_failed', {
    detail: `${detail} Nothing was executed. ${advice}`,
    outcome: 'not_executed',
    errors: [{ pointer: `#/${index}/timestamp`, code: 'unsafe_request', detail }],
  });
