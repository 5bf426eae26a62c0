/** How many records a database holds, by its newest samples. */
import { replicaFigures } from '../model/metric-figures.ts';
import { latestSamples } from './metric-samples.ts';
import type { Reader } from './tables.ts';

export interface HeldRecords {
  readonly transfers: number;
  readonly accounts: number;
}

/** They never become fewer, so that an old count is too low at most. `undefined`: nothing is known, as of a database that is stopped. */
export async function heldRecords(
  db: Reader,
  databaseId: string,
): Promise<HeldRecords | undefined> {
  const replicas = (await latestSamples(db, [databaseId])).filter(({ source }) =>
    source.startsWith('r'),
  );
  const most = (name: 'transfers' | 'accounts') =>
    Math.max(-1, ...replicas.map(({ readings }) => readings[replicaFigures.indexOf(name)] ?? -1));
  const [transfers, accounts] = [most('transfers'), most('accounts')];
  return transfers < 0 || accounts < 0 ? undefined : { transfers, accounts };
}
