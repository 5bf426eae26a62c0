/** Files beside a replica's data file that record its relation to etcd's cluster. */
import { join } from 'node:path';
import { isThere } from '../../base/is-there.ts';

/** File with the incarnation and id of the last member. A replica that has it may not begin another member. */
export const memoPath = (path: string): string => `${path}.member`;

/** File with the `initial-cluster` that the new member joins; it exists from `recover` until the member has begun. */
export const initialClusterPath = (path: string): string => `${path}.initial-cluster`;

/**
 * Whether a member has begun in this folder. Its votes are in its log, which it makes once the others know it: a member that
 * ended earlier left only a folder and starts from scratch, as etcd does (wal.Exist in etcdserver/bootstrap.go).
 */
export const hasMember = (folder: string): Promise<boolean> =>
  isThere(join(folder, 'member', 'wal'));
