/** Common code of the commands that make a database from another one's data. */
import type { Database, RestoreBackupRequest, RestoringDatabase } from '../../gen/api.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-code.ts';
import { contractRequest, receive, type Received } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { followJob } from '../job-watch.ts';
import { readInteger } from '../ledger/integers.ts';
import { printAnswer } from '../output/answer.ts';
import { databaseText } from '../output/database.ts';
import { warningsOf } from '../output/recovery.ts';

const choiceOptions = {
  provider: 'provider',
  region: 'region',
  'cluster-configuration': 'clusterConfiguration',
  'cluster-size': 'clusterSize',
  'storage-tier': 'storageTier',
} as const;

/** The shape of the new database; what is not given is as before. */
export function readShape(input: Input): Omit<RestoreBackupRequest, 'name'> {
  const gb = input.text('selected-storage-gb');
  const choices = Object.entries(choiceOptions).flatMap(([option, member]) => {
    const value = input.text(option);
    return value === undefined ? [] : [[member, value] as const];
  });
  return {
    ...Object.fromEntries(choices),
    ...(gb !== undefined && {
      selectedStorageGb: Number(
        readInteger('--selected-storage-gb', gb, { bits: 32, minimum: 1n }),
      ),
    }),
  };
}

/** The engine of the new database. */
export function readEngine(input: Input): Pick<RestoreBackupRequest, 'engine' | 'dropTimeouts'> {
  const engine = input.text('engine');
  return {
    ...(engine !== undefined && { engine: engine as 'Builtin' | 'TigerBeetle' }),
    ...(input.has('drop-timeouts') && { dropTimeouts: true }),
  };
}

/** Waits for the job that makes the new database, and prints the database. */
export async function followDatabase(
  context: Context,
  input: Input,
  accepted: Received<RestoringDatabase>,
  waitMs: number | undefined,
): Promise<ExitCode> {
  const { exchange } = await context.service();
  const { database, job } = accepted.document;
  for (const warning of warningsOf(accepted.document)) context.output.warn(`warning: ${warning}`);
  const print = (received: Received<{ readonly database: Database }>) =>
    printAnswer(context, input, received, (document) => databaseText(document.database));
  const made = contractRequest('get', '/api/v1/databases/{databaseId}', {
    params: { databaseId: database.id },
  });
  return followJob(context, {
    subject: `database ${database.id}`,
    jobId: job.id,
    waitMs,
    printNow: () => print(accepted),
    printThen: async () => print(await receive(exchange, made)),
  });
}
