/** What a look at a backup has at hand in a simulated cluster. */
import type { KubeObject } from '../../../base/kube/kube.ts';
import { ObjectCache } from '../../../base/kube/object-cache.ts';
import { labels } from '../../../domain/names.ts';
import type { BackupEnvironment } from '../../../operator/ledgerbackup/environment.ts';
import { TestTurns } from '../../../operator/ledgerbackup/test-turns.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

/** `unseen`: kinds whose watches are late and have shown nothing yet. */
export function backupEnvironment(
  cluster: SimulatedCluster,
  testTurns = new TestTurns(),
  unseen: ReadonlySet<string> = new Set(),
): BackupEnvironment {
  const held = <T extends KubeObject>(kind: string, index?: string) => {
    const cache = new ObjectCache<T>(index ?? (({ metadata }) => metadata.uid));
    for (const object of cluster.objects.values()) {
      const isGone = object.metadata.deletionTimestamp !== undefined;
      if (object.kind === kind && !isGone && !unseen.has(kind)) cache.put(object as T);
    }
    return cache;
  };
  return {
    kube: cluster,
    options: {
      operatorNamespace: 'ledgerhouse-system',
      store: { url: 's3://b/p', region: 'r', accessKeyId: 'k', secretAccessKey: 's' },
    },
    backups: held('LedgerBackup'),
    schedules: held('LedgerBackupSchedule'),
    databases: held('LedgerDatabase'),
    catalogs: held('LedgerCatalog'),
    jobs: held('Job', labels.uid),
    pods: held('Pod', labels.uid),
    askForCheckpoint: () => Promise.reject(new Error('nobody asks')),
    testTurns,
    nowMs: () => cluster.nowMs,
  };
}
