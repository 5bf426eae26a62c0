/** What stands beside a replica's data file and says how it stands to etcd's cluster. */

/** Which member was beside it last: incarnation and id. Whoever has it may not begin another member. */
export const memoPath = (path: string): string => `${path}.member`;

/** Whom its new member joins, as etcd's `initial-cluster` has it; there from `recover` until the member has begun. */
export const initialClusterPath = (path: string): string => `${path}.initial-cluster`;
