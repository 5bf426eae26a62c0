/** What stands beside a replica's data file and says how it stands to etcd's cluster. */
import { join } from 'node:path';
import { isThere } from '../../base/is-there.ts';

/** Which member was beside it last: incarnation and id. Whoever has it may not begin another member. */
export const memoPath = (path: string): string => `${path}.member`;

/** Whom its new member joins, as etcd's `initial-cluster` has it; there from `recover` until the member has begun. */
export const initialClusterPath = (path: string): string => `${path}.initial-cluster`;

/**
 * Whether a member has begun there. What it has voted for is in its log, which it makes when the others know it: one that
 * ended before that has left a folder, and begins anew, as etcd sees it too (wal.Exist in etcdserver/bootstrap.go).
 */
export const hasMember = (folder: string): Promise<boolean> =>
  isThere(join(folder, 'member', 'wal'));
