import type { ClusterView } from '../kubernetes/cluster-view.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { Database } from '../store/database-record.ts';

/** Asks the watch, and the API server itself only where the watch says so: it may have been taken off a moment ago. */
export const protectionIn =
  (view: Pick<ClusterView, 'database'>, writer: DatabaseWriter) =>
  async ({ id, name, kubernetesNamespace, kubernetesUid }: Database): Promise<boolean> => {
    if (kubernetesUid === null) return false;
    const seen = view.database(kubernetesNamespace, name);
    if (seen?.metadata.uid !== kubernetesUid || !seen.spec.deletionProtection) return false;
    const found = await writer.read({ namespace: kubernetesNamespace, name, databaseId: id });
    return found?.metadata.uid === kubernetesUid && found.spec.deletionProtection;
  };
