/**
 * How a member of etcd begins: with all others of a new database, or as one that is added to those that there are. And
 * whether it may begin at all: a replica whose data file is bound to a log has a member with what it has voted for and
 * written; without that it must not take part as if it were the one that it was.
 */
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BLOCK_SIZE, SUPERBLOCK_COPIES } from '../log/layout.ts';
import { readHead, type Superblock } from '../log/superblock.ts';
import { Reason, type Finding } from './examine.ts';

/** etcd's `initial-cluster-state`, which it reads only while the member has no data. */
export type MemberState = 'new' | 'existing';

/** Takes a data file that `examine` found right. */
export async function examineMember(path: string, folder: string): Promise<MemberState | Finding> {
  const { position } = await readSuperblock(path);
  return stateOf(position.place, await isThere(join(folder, 'member')), folder);
}

/** Pure. `hasData`: whether the member has begun before. */
export function stateOf(
  place: Superblock['position']['place'],
  hasData: boolean,
  folder: string,
): MemberState | Finding {
  if (place === undefined) return 'new';
  // Sequence 0: made by `recover`, which had the lost member replaced.
  if (hasData || place.sequence === 0) return 'existing';
  return {
    reason: Reason.memberMissing,
    message: `${folder} is empty, while the data file holds the log up to block ${place.sequence}: the member of etcd is lost, and the replica must be made again with \`recover\``,
  };
}

async function readSuperblock(path: string): Promise<Superblock> {
  const file = await open(path, 'r');
  try {
    const head = new Uint8Array(SUPERBLOCK_COPIES * BLOCK_SIZE);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return readHead(head.subarray(0, bytesRead)).superblock;
  } finally {
    await file.close();
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    },
  );
