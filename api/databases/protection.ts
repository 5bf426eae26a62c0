import type { ClusterView } from '../kubernetes/cluster-view.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { Database } from '../store/database-record.ts';

/** Whether a database is protected. If the watch says so, asks the API server too: protection may just have been removed. */
export const protectionIn =
  (view: Pick<ClusterView, 'database'>, writer: DatabaseWriter) =>
  async ({ name, kubernetesNamespace, kubernetesUid }: Database): Promise<boolean> => {
    if (kubernetesUid === null) return false;
    const seen = view.database(kubernetesNamespace, name);
    if (seen?.metadata.uid !== kubernetesUid || !seen.spec.deletionProtection) return false;
    const found = await writer.read({ namespace: kubernetesNamespace, name });
    return found?.metadata.uid === kubernetesUid && found.spec.deletionProtection;
  };
