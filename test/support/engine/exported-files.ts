/** Data files that a real engine exported, one for each of three replicas. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '../../../engine/client/client.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { mustRun } from '../shell.ts';
import { engineProgram, TestEngine } from './engine.ts';
import { accountBytes, create, transferBytes } from './ledger.ts';

/** Returns the paths of the files in the folder, in the order of the replicas. The first one is longer than a part of an upload. */
export async function exportThreeFiles(
  folder: string,
  cluster: bigint,
): Promise<readonly string[]> {
  const engine = await TestEngine.create({ cluster });
  try {
    const addresses = [{ host: '127.0.0.1', port: engine.port }];
    const client = new Client({ cluster, addresses, timeoutMs: 180_000 });
    await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
    const transfers = [{ id: 1n, debit: 1n, credit: 2n, amount: 5n }];
    await create(client, Operation.createTransfers, transferBytes(transfers));
    client.close();
    const from = join(engine.folder, 'exported.ledger');
    const status = `--status-address=127.0.0.1:${engine.statusPort}`;
    await mustRun(engineProgram, ['export', status, from]);
    const files: string[] = [];
    for (const index of [0, 1, 2]) {
      const whole = join(engine.folder, `whole-${index}.ledger`);
      const to = join(folder, `${cluster}_${index}.ledger`);
      await mustRun(engineProgram, [
        'restore',
        `--replica=${index}`,
        '--replica-count=3',
        from,
        whole,
      ]);
      await mustRun(engineProgram, ['export', `--from=${whole}`, to]);
      files.push(to);
    }
    // What follows the ledger in a file means nothing.
    appendFileSync(files[0] ?? '', new Uint8Array(9 * 1024 * 1024));
    return files;
  } finally {
    await engine.dispose();
  }
}
