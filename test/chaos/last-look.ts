/** The end of a run: all replicas at the same op with the same state, and everything read back, from each of them. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BuiltinStatus } from '../../domain/engine-status.ts';
import { StateMachine } from '../../engine/ledger/state-machine.ts';
import { DataFile } from '../../engine/log/data-file.ts';
import { inspectDataFile } from '../../engine/log/inspect.ts';
import { LOG_SIZE_MIN } from '../../engine/log/layout.ts';
import { restoreDataFile } from '../../engine/log/restore.ts';
import { Executor } from '../../engine/replica/executor.ts';
import { batchSizeLimitProduction } from '../../engine/wire/limits.ts';
import { engineRelease } from '../../engine/wire/release.ts';
import { eventually } from '../support/shell.ts';
import { contentsOf, type Contents } from './contents.ts';
import type { World } from './player.ts';

const LEVEL_MAX_MS = 120_000;

export async function level({ pairs }: World): Promise<BuiltinStatus> {
  return eventually(
    'all replicas have the same state at the same op',
    async () => {
      const statuses = await Promise.all(pairs.map((pair) => pair.status()));
      const [first] = statuses;
      const same = (status: BuiltinStatus | undefined): boolean =>
        status?.syncing === false &&
        status.op === first?.op &&
        status.stateHash === first.stateHash;
      return statuses.every(same) ? first : undefined;
    },
    LEVEL_MAX_MS,
  );
}

/** Reads the ledger's contents through the service. */
export async function readBack({ load }: World): Promise<Contents> {
  const client = await load.reader();
  const contents = await contentsOf(async (operation, body) => {
    const answer = await client.request(operation, body, 30_000);
    if (answer === undefined) throw new Error('what the ledger holds could not be read back');
    return answer.body;
  });
  client.close();
  return contents;
}

/** Compares the contents of every replica's export, byte for byte. Returns the differences. */
export async function compareExports(
  { pairs }: World,
  { folder, contents }: { folder: string; contents: Contents },
): Promise<readonly string[]> {
  const differences: string[] = [];
  for (const pair of pairs) {
    const [exported, whole] = ['exported', 'whole'].map((name) => join(folder, `${name}.ledger`));
    await pair.exportTo(exported!);
    const found = await inspectDataFile(exported!);
    if (found.kind !== 'ledgerhouse' || found.errors.length > 0)
      differences.push(`the export of replica ${pair.index} is damaged`);
    const restamp = { replicaCount: 1, replicaIndex: 0 };
    await restoreDataFile({ from: exported!, to: whole!, restamp, logSizeBytes: LOG_SIZE_MIN });
    const theirs = await contentsOfFile(whole!);
    for (const part of ['accounts', 'transfers', 'events'] as const)
      if (Buffer.compare(theirs[part], contents[part]) !== 0)
        differences.push(`the export of replica ${pair.index} has other ${part}`);
    for (const path of [exported!, whole!]) rmSync(path);
  }
  return differences;
}

async function contentsOfFile(path: string): Promise<Contents> {
  const onFailure = (error: Error): void => {
    throw error;
  };
  const file = await DataFile.open({ path, release: engineRelease, onFailure });
  try {
    const ledger = new StateMachine({ memoryLimitBytes: 2 ** 33 });
    const { identity } = file;
    const executor = new Executor({ ledger, identity, batchSizeLimit: batchSizeLimitProduction });
    await file.load(executor.state);
    return await contentsOf((operation, body) => ledger.read(operation, body).slice());
  } finally {
    await file.close();
  }
}
