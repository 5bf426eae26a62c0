/** Refuses the one request that would end a cluster for good, before it leaves (engine/wire/imported-post.ts). */
import { endsByImportedPost, importedPostIn } from '../../engine/wire/imported-post.ts';
import type { LedgerRequest } from '../ledger/decode.ts';
import { ledgerOperations } from '../ledger/operations.ts';
import { ledgerProblem, type LedgerProblem } from '../model/ledger-problems.ts';

export interface Engine {
  readonly name: string;
  readonly version: string;
}

/** Returns the problem of a request that this engine would not survive. */
export function unsafeRequest(
  { operation, events }: LedgerRequest,
  { name, version }: Engine,
): LedgerProblem | undefined {
  if (operation !== ledgerOperations.create_transfers) return undefined;
  const index = endsByImportedPost(name, version) ? importedPostIn(events) : undefined;
  if (index === undefined) return undefined;
  const detail = `An imported post or void of a pending transfer would end this cluster of TigerBeetle ${version} for good.`;
  return ledgerProblem('validation_failed', {
    detail: `${detail} Nothing was executed. Import such a transfer after an upgrade to a release above 0.17.9, or without “imported”.`,
    outcome: 'not_executed',
    errors: [{ pointer: `#/${index}/flags`, code: 'unsafe_request', detail }],
  });
}
