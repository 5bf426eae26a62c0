/** Puts what another replica has sent in the place of a replica's own data file. */
import { diskStorage } from './disk-storage.ts';
import { LOG_SIZE_MIN } from './layout.ts';
import type { ReplicaIdentity } from './log.ts';
import { restoreDataFile } from './restore.ts';
import type { Storage } from './storage.ts';

export interface ReplaceOptions {
  readonly path: string;
  /** Whose file it becomes. */
  readonly identity: ReplicaIdentity;
  readonly storage?: Storage;
  /** Writes an exported file of another replica of the same cluster, in order. */
  readonly receive: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>;
  /** Closes the old file; called when the new one is whole, verified and durable. */
  readonly closeOld: () => Promise<void>;
}

/** Rejects when nothing whole came; the old file is then as it was, and open. */
export async function replaceDataFile(options: ReplaceOptions): Promise<void> {
  const { path, identity, storage = diskStorage, receive, closeOld } = options;
  const [fetched, made] = [`${path}.fetched`, `${path}.fetched-whole`];
  const clear = async (): Promise<void> => {
    for (const left of [fetched, made]) if (await storage.exists(left)) await storage.remove(left);
  };
  await clear();
  try {
    const file = await storage.create(fetched);
    try {
      let at = 0;
      await receive(async (bytes) => {
        await file.write(bytes, at);
        at += bytes.length;
      });
      await file.sync();
    } finally {
      await file.close();
    }
    const logSizeBytes = LOG_SIZE_MIN;
    await restoreDataFile({
      from: fetched,
      to: made,
      restamp: identity,
      sameCluster: true,
      logSizeBytes,
      storage,
    });
    await closeOld();
    await storage.replace(made, path);
  } finally {
    await clear();
  }
}
