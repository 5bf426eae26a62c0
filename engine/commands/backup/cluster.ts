import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { backUpCluster } from '../../cluster-backup/back-up-cluster.ts';
import type { ClusterReaderOptions } from '../../cluster-backup/cluster-reader.ts';
import { newLedger } from '../../replica/new-ledger.ts';
import { ledgerMemoryLimit } from '../../../domain/ledger-memory.ts';
import { containerMemory } from '../../../base/container-memory.ts';
import { engineRelease } from '../../wire/release.ts';
import { parseAddresses, parseClusterId, parseInteger, required } from '../values.ts';
import type { Flag, Input, Verb } from '../verb.ts';
import { summaryOf } from './make.ts';
import { resultFlag, tellResult } from './result.ts';
import { databaseIdOf, parseBackupId, storeFlags, withStore } from './store-flags.ts';

/** Which cluster a command is a client of. */
export const clusterFlags: readonly Flag[] = [
  { name: 'cluster', value: 'id', help: 'cluster id, decimal' },
  { name: 'addresses', value: 'list', help: 'addresses of all replicas, in their order' },
  {
    name: 'answer-within',
    value: 'seconds',
    help: 'how long the cluster may take for one page, failovers included; 120 by default',
  },
];

export function readCluster(input: Input): ClusterReaderOptions {
  const answerWithin = input.flag('answer-within') ?? '120';
  return {
    cluster: parseClusterId(required(input.flag('cluster'), 'cluster')),
    addresses: parseAddresses(required(input.flag('addresses'), 'addresses')),
    answerMaxMs: parseInteger('answer-within', answerWithin, 1, 3_600) * 1_000,
  };
}

export const backupCluster: Verb = {
  name: 'backup-cluster',
  summary:
    'Back up a cluster of TigerBeetle into a bucket, reading its accounts and events through the protocol while clients go on.',
  arguments: ['folder'],
  flags: [
    ...storeFlags,
    { name: 'id', value: 'name', help: 'name of the backup, unique for the database' },
    ...clusterFlags,
    { name: 'full', value: undefined, help: 'verify and repair what earlier backups stored' },
    resultFlag,
  ],
  run(input) {
    const [folder = ''] = input.arguments;
    const databaseId = databaseIdOf(input);
    const backupId = parseBackupId('id', required(input.flag('id'), 'id'));
    const where = readCluster(input);
    return tellResult(input, async () => {
      const started = performance.now();
      const made = await withStore(input, (store) =>
        backUpCluster({
          ...where,
          store,
          databaseId,
          backupId,
          full: input.flag('full') !== undefined,
          seals: store.seals,
          now: () => new Date(),
          ledger: newLedger(ledgerMemoryLimit(containerMemory())),
          release: engineRelease,
          working: join(folder, `backup-cluster-${randomBytes(6).toString('hex')}.working`),
        }),
      );
      const seconds = Math.round(performance.now() - started) / 1_000;
      const { newObjects, newBytes } = made;
      return { ...summaryOf(made), newObjects, newBytes, seconds };
    });
  },
};
