import { UsageError, type Verb } from './verb.ts';

export const recover: Verb = {
  name: 'recover',
  summary: 'Make a fresh data file for a replica that is lost for good.',
  arguments: ['path'],
  flags: [
    { name: 'cluster', value: 'id', help: 'cluster id, decimal' },
    { name: 'addresses', value: 'list', help: 'addresses of the replicas, in order' },
    { name: 'replica', value: 'index', help: 'index of the lost replica' },
    { name: 'replica-count', value: 'count', help: 'replicas of the cluster' },
    { name: 'development', value: undefined, help: 'taken for compatibility' },
  ],
  run(input) {
    // What a lost file held must come from other replicas. A single one has none, and formatting anew would look like
    // recovery and be the loss of everything.
    const count = input.flag('replica-count');
    throw new UsageError(
      count === '1' || count === undefined
        ? 'a cluster of one replica cannot recover a lost data file: restore it from a backup (ledger-engine restore)'
        : 'this version runs clusters of one replica; there is nothing to recover from',
    );
  },
};
