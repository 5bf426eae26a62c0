/** Fills an empty cluster with a backup. The ledger is loaded from a working file, so that it may be larger than memory. */
import { DataFile } from '../log/data-file.ts';
import { diskStorage } from '../log/disk-storage.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import { withoutWorkingFile, type WorkingOptions } from '../rows/working-ledger.ts';
import { checkFillable } from './check-fillable.ts';
import { ClusterReader, type ClusterReaderOptions } from './cluster-reader.ts';
import { fillCluster, type Filled } from './fill-cluster.ts';
import { LedgerReader } from './ledger-reader.ts';

export interface LedgerToFill extends WorkingOptions {
  /** Makes the data file with the ledger. */
  readonly makeFile: (to: string, identity: ReplicaIdentity) => Promise<unknown>;
  readonly dropsTimeouts: boolean;
}

export interface ClusterRestoreOptions extends LedgerToFill, ClusterReaderOptions {}

export const restoreCluster = (options: ClusterRestoreOptions): Promise<Filled> =>
  withLedger(options, options.cluster, async (source) => {
    const { ledger, dropsTimeouts } = options;
    const cluster = new ClusterReader(options);
    try {
      return await fillCluster({ ledger, source, cluster, dropsTimeouts });
    } finally {
      cluster.close();
    }
  });

/** Throws if no cluster could be filled with the ledger. No cluster is asked. */
export const checkRestorable = (
  options: LedgerToFill & { readonly nowMs: number },
): Promise<{ readonly accounts: number; readonly events: number }> =>
  withLedger(options, 0n, (source) => checkFillable({ ...options, source }));

async function withLedger<T>(
  options: LedgerToFill,
  clusterId: bigint,
  work: (source: LedgerReader) => Promise<T>,
): Promise<T> {
  const { working, ledger, release, storage = diskStorage } = options;
  return withoutWorkingFile(options, async () => {
    await options.makeFile(working, { clusterId, replicaIndex: 0, replicaCount: 1 });
    const onFailure = (error: Error): void => {
      throw error;
    };
    const data = await DataFile.open({ path: working, release, storage, onFailure });
    try {
      await data.load(ledger);
      return await work(new LedgerReader(ledger, data.pages));
    } finally {
      await data.close();
    }
  });
}
