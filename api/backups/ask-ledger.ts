/** A query of a running database for what a restore brings back or takes away, with the caller's own right to read it. */
import { jsonOf } from '../../base/json.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { runOperation } from '../gateway/run-operation.ts';
import { requireTarget, type LedgerPlaces } from '../gateway/targets.ts';
import { ledgerOperations } from '../ledger/operations.ts';
import { Refusal } from '../model/refusal.ts';

export interface Ledgers extends LedgerPlaces {
  readonly gateway: Gateway;
}

export interface Asked {
  readonly organizationId: string;
  readonly databaseId: string;
  /** Timestamp of the operation that is reached. */
  readonly timestamp: bigint;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

const timeoutMs = 2_000;

/** The answer as JSON; `undefined` if the ledger does not answer soon. */
export async function askLedger(
  { gateway, ...places }: Ledgers,
  { organizationId, databaseId, requestId, signal }: Omit<Asked, 'timestamp'>,
  operation: 'query_transfers' | 'query_accounts',
  filter: object,
): Promise<unknown> {
  const target = await requireTarget(places, organizationId, databaseId).catch(unlessRefused);
  if (target === undefined) return undefined;
  const answer = await runOperation(
    gateway,
    ledgerOperations[operation],
    Buffer.from(JSON.stringify(filter)),
    { target, owner: organizationId, requestId, signal, timeoutMs, format: 'json', ...target },
  );
  return answer.ok ? jsonOf(Buffer.from(answer.body).toString('utf8')) : undefined;
}

/** A database that is suspended or deleted cannot be asked. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}
