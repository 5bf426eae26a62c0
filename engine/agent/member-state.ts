/**
 * Decides how an etcd member begins: with all others of a new database, or added to existing ones. Also decides whether it
 * may begin: once a data file is bound to a log, the replica's member must still have its votes and log entries; without them
 * it must not take part under its old identity.
 */
import { isThere } from '../../base/is-there.ts';
import { hasMember, initialClusterPath, memoPath } from '../members/files.ts';
import { diskStorage } from '../log/disk-storage.ts';
import { readSuperblock, type Superblock } from '../log/superblock.ts';
import { beginsWithLog } from '../log/without-state.ts';
import { DataProblem } from '../../domain/data-problem.ts';
import type { Finding } from './examine.ts';

/** etcd's `initial-cluster-state`, which it reads only while the member has no data. */
export type MemberState = 'new' | 'existing';

/** Examines the member of a data file that `examine` accepted. */
export async function examineMember(path: string, folder: string): Promise<MemberState | Finding> {
  const { position } = await superblockOf(path);
  const [hasData, joins, hadMember] = await Promise.all([
    hasMember(folder),
    isThere(initialClusterPath(path)),
    isThere(memoPath(path)),
  ]);
  return stateOf(position.place, { hasData, joins, hadMember }, folder);
}

/** Traces of a member on the volume; each may be absent. */
interface MemberTraces {
  /** The member has begun before. */
  readonly hasData: boolean | undefined;
  /** `recover` had the lost member replaced: the others expect a new one. */
  readonly joins: boolean | undefined;
  /** The engine has seen a member beside it. */
  readonly hadMember: boolean | undefined;
}

/** Pure part of `examineMember`. */
export function stateOf(
  place: Superblock['position']['place'],
  { hasData = false, joins = false, hadMember = false }: MemberTraces,
  folder: string,
): MemberState | Finding {
  if (hasData) return place === undefined ? 'new' : 'existing';
  if (joins) return 'existing';
  if ((place === undefined || beginsWithLog(place)) && !hadMember) return 'new';
  return {
    reason: DataProblem.memberMissing,
    message: `${folder} is empty, while the data file holds the log up to block ${place?.sequence ?? 0}: the etcd member is lost; bring the replica back with \`recover\``,
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
