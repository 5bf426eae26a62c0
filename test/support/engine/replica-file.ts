/** Data files with a real head of TigerBeetle, without TigerBeetle. */
import { open, truncate } from 'node:fs/promises';
import type { ReplicaIdentity } from '../../../engine/log/log.ts';
import { dataFileSize, encodeSuperblock } from '../../../images/tigerbeetle-double/superblock.ts';

/** Writes a sparse file with the head of a replica, and some bytes at its end. */
export async function makeReplicaFile(path: string, identity: ReplicaIdentity): Promise<void> {
  const head = encodeSuperblock({
    identity,
    sequence: 1,
    release: 4361,
    releaseFormat: 4361,
    checkpointOp: 0,
    syncOpMax: 0,
    view: 0,
  });
  const file = await open(path, 'wx');
  await file.write(head, 0, head.length, 0);
  await file.close();
  await truncate(path, dataFileSize - 9);
  const end = await open(path, 'a');
  await end.write(`replica ${identity.replicaIndex}`);
  await end.close();
}
