import { expect, test } from '@jest/globals';
import { finalBackupName } from '../../domain/names.ts';
import { SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import { BackupWriter } from '../kubernetes/backup-writer.ts';
import { lastBackupOf, removeUnfinished } from './shape-backups.ts';

const namespace = 'acme';
const name = 'payments';
const workload = 'payments-000000';
const database = { id: 'db_1', name, kubernetesNamespace: namespace };

function withLast(succeeded: boolean) {
  const cluster = new SimulatedCluster();
  const at = new Date(cluster.nowMs).toISOString();
  const row = { reason: 'Said', message: '', lastTransitionTime: at };
  cluster.put({
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerBackup',
    metadata: { namespace, name: finalBackupName(workload) },
    spec: { database: name, type: 'Final', removeRequested: true },
    status: {
      databaseId: 'db_1',
      startedAt: at,
      completedAt: at,
      conditions: [{ type: 'Succeeded', status: succeeded ? 'True' : 'False', ...row }],
    },
  } as never);
  return { cluster, backups: new BackupWriter(cluster) };
}

test.each([true, false])(
  'a last backup of which somebody asks the removal has succeeded (%s) or failed as before, and only one that failed is taken away',
  async (succeeded) => {
    const { cluster, backups } = withLast(succeeded);
    const last = await lastBackupOf(backups, database, workload);
    expect(last?.state).toBe(succeeded ? 'succeeded' : 'failed');
    const inTheWay = await removeUnfinished(backups, database, workload, () => Promise.resolve());
    expect(inTheWay === undefined).toBe(!succeeded);
    const left = [...cluster.objects.values()].filter(
      ({ kind, metadata }) => kind === 'LedgerBackup' && metadata.deletionTimestamp === undefined,
    );
    expect(left).toHaveLength(succeeded ? 1 : 0);
  },
);
