/**
 * How a member of etcd begins: with all others of a new database, or as one that is added to those that there are. And
 * whether it may begin at all: a replica whose data file is bound to a log has a member with what it has voted for and
 * written; without that it must not take part as if it were the one that it was.
 */
import { isThere } from '../../base/is-there.ts';
import { hasMember, initialClusterPath, memoPath } from '../members/files.ts';
import { diskStorage } from '../log/disk-storage.ts';
import { readSuperblock, type Superblock } from '../log/superblock.ts';
import { DataProblem } from '../../domain/data-problem.ts';
import type { Finding } from './examine.ts';

/** etcd's `initial-cluster-state`, which it reads only while the member has no data. */
export type MemberState = 'new' | 'existing';

/** Takes a data file that `examine` found right. */
export async function examineMember(path: string, folder: string): Promise<MemberState | Finding> {
  const { position } = await superblockOf(path);
  const [hasData, joins, hadMember] = await Promise.all([
    hasMember(folder),
    isThere(initialClusterPath(path)),
    isThere(memoPath(path)),
  ]);
  return stateOf(position.place, { hasData, joins, hadMember }, folder);
}

/** What of a member is on the volume; each may be absent. */
export interface MemberTraces {
  /** It has begun before. */
  readonly hasData: boolean | undefined;
  /** `recover` had the lost member replaced: a new one is expected by the others. */
  readonly joins: boolean | undefined;
  /** The engine has seen a member beside it. */
  readonly hadMember: boolean | undefined;
}

/** Pure. */
export function stateOf(
  place: Superblock['position']['place'],
  { hasData = false, joins = false, hadMember = false }: MemberTraces,
  folder: string,
): MemberState | Finding {
  if (hasData) return place === undefined ? 'new' : 'existing';
  if (joins) return 'existing';
  if (place === undefined && !hadMember) return 'new';
  return {
    reason: DataProblem.memberMissing,
    message: `${folder} is empty, while the data file holds the log up to block ${place?.sequence ?? 0}: the member of etcd is lost, and the replica must be made again with \`recover\``,
  };
}

async function superblockOf(path: string): Promise<Superblock> {
  const file = await diskStorage.open(path, { writable: false, exclusive: false });
  try {
    return await readSuperblock(file);
  } finally {
    await file.close();
  }
}
