/** The last transfer that a restore to a moment brings back, asked from the running database with the caller's own right to read it. */
import { z } from 'zod';
import { written } from '../../domain/recovery.ts';
import { TransferFlag } from '../../engine/wire/flags.ts';
import { askLedger, type Asked, type Ledgers } from './ask-ledger.ts';

const rowsSchema = z.object({
  result: z.array(z.object({ id: z.string(), timestamp: z.string(), flags: z.number() })),
});

/**
 * `undefined` if the ledger does not answer soon, or cannot tell: an imported transfer has the timestamp that its sender chose, so it
 * may have come later. The operations after the moment have later timestamps, and so have all other transfers in them.
 */
export async function lastTransferAt(ledgers: Ledgers, asked: Asked) {
  const filter = { timestamp_max: String(asked.timestamp), flags: 'reversed', limit: 1 };
  const parsed = rowsSchema.safeParse(await askLedger(ledgers, asked, 'query_transfers', filter));
  const [last] = parsed.success ? parsed.data.result : [];
  if (last === undefined || (last.flags & TransferFlag.imported) !== 0) return undefined;
  const { op: _, ...times } = written({ op: 0, timestamp: BigInt(last.timestamp) });
  return { id: last.id, ...times };
}
