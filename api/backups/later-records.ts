/** Records that a ledger got after a moment, counted by the running database with the caller's own right to read it. */
import { z } from 'zod';
import { rowsMax } from '../ledger/operations.ts';
import { askLedger, type Asked, type Ledgers } from './ask-ledger.ts';

const rowsSchema = z.object({ result: z.array(z.unknown()) });

/** At most `countedMax` are counted: more may be there then. */
export interface LaterRecords {
  readonly transfers: number;
  readonly accounts: number;
}

export const countedMax = rowsMax;

/** `undefined` if the ledger does not answer soon. An imported record counts by the timestamp that its sender chose. */
export async function recordsAfter(
  ledgers: Ledgers,
  asked: Asked,
): Promise<LaterRecords | undefined> {
  const [transfers, accounts] = await Promise.all([
    countAfter('query_transfers', ledgers, asked),
    countAfter('query_accounts', ledgers, asked),
  ]);
  return transfers === undefined || accounts === undefined ? undefined : { transfers, accounts };
}

async function countAfter(
  operation: 'query_transfers' | 'query_accounts',
  ledgers: Ledgers,
  asked: Asked,
): Promise<number | undefined> {
  const filter = { timestamp_min: String(asked.timestamp + 1n), limit: countedMax };
  const parsed = rowsSchema.safeParse(await askLedger(ledgers, asked, operation, filter));
  return parsed.success ? parsed.data.result.length : undefined;
}
