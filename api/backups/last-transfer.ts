/** The last transfer that a restore to a moment brings back, asked from the running database with the caller's own right to read it. */
import { z } from 'zod';
import { jsonOf } from '../../base/json.ts';
import { written } from '../../domain/recovery.ts';
import { TransferFlag } from '../../engine/wire/flags.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { runOperation } from '../gateway/run-operation.ts';
import { requireTarget, type LedgerPlaces } from '../gateway/targets.ts';
import { ledgerOperations } from '../ledger/operations.ts';
import { Refusal } from '../model/refusal.ts';

export interface Ledgers extends LedgerPlaces {
  readonly gateway: Gateway;
}

interface Asked {
  readonly organizationId: string;
  readonly databaseId: string;
  /** Timestamp of the operation that is reached. */
  readonly timestamp: bigint;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

const timeoutMs = 2_000;
const rowsSchema = z.object({
  result: z.array(z.object({ id: z.string(), timestamp: z.string(), flags: z.number() })),
});

/**
 * `undefined` if the ledger does not answer soon, or cannot tell: an imported transfer has the timestamp that its sender chose, so it
 * may have come later. The operations after the moment have later timestamps, and so have all other transfers in them.
 */
export async function lastTransferAt(
  { gateway, ...places }: Ledgers,
  { organizationId, databaseId, timestamp, requestId, signal }: Asked,
) {
  const target = await requireTarget(places, organizationId, databaseId).catch(unlessRefused);
  if (target === undefined) return undefined;
  const filter = { timestamp_max: String(timestamp), flags: 'reversed', limit: 1 };
  const answer = await runOperation(
    gateway,
    ledgerOperations.query_transfers,
    Buffer.from(JSON.stringify(filter)),
    { target, owner: organizationId, requestId, signal, timeoutMs, format: 'json', ...target },
  );
  if (!answer.ok) return undefined;
  const parsed = rowsSchema.safeParse(jsonOf(Buffer.from(answer.body).toString('utf8')));
  const [last] = parsed.success ? parsed.data.result : [];
  if (last === undefined || (last.flags & TransferFlag.imported) !== 0) return undefined;
  const { op: _, ...times } = written({ op: 0, timestamp: BigInt(last.timestamp) });
  return { id: last.id, ...times };
}

/** A database that is suspended or deleted cannot be asked. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}
