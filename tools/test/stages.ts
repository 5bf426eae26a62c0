/** The ladder of tests: what runs. A stage is a folder of Jest suites, or all that stands beside the code. */
export interface Stage {
  readonly name: string;
  readonly title: string;
  /** Where its suites are; `undefined` means the unit tests beside the code. */
  readonly folder?: string;
  /** Suites side by side. Stages that share one machine-wide thing (a cluster, a port, a disk) run one at a time. */
  readonly workers: number;
  /** For what hangs: a machine that others use too may take five times as long as usual. */
  readonly deadlineMinutes: number;
  /** Whether it runs beside the other stages, which run one after the other in this order. */
  readonly beside?: boolean;
}

export const stages: readonly Stage[] = [
  { name: 'unit', title: 'unit tests, no I/O', workers: 2, deadlineMinutes: 30 },
  {
    name: 'repository',
    title: 'the rules of the repository itself',
    folder: 'test/repository',
    workers: 1,
    deadlineMinutes: 15,
  },
  {
    name: 'conformance',
    title: 'official clients against the engine',
    folder: 'test/conformance',
    workers: 1,
    deadlineMinutes: 40,
  },
  {
    name: 'crash',
    title: 'kill, cut, flip, fill',
    folder: 'test/crash',
    workers: 1,
    deadlineMinutes: 40,
  },
  {
    name: 'replication',
    title: 'the replicated log and replicas of it on real etcd members',
    folder: 'test/replication',
    workers: 1,
    // Three minutes, unless etcd is to be built first.
    deadlineMinutes: 40,
  },
  {
    name: 'chaos',
    title: 'three replicas under a minute of faults, and who judges them',
    folder: 'test/chaos',
    workers: 1,
    // Two minutes, unless etcd is to be built first.
    deadlineMinutes: 40,
  },
  {
    name: 'integration',
    title: 'against a real control plane',
    folder: 'test/integration',
    workers: 2,
    deadlineMinutes: 40,
  },
  {
    name: 'browser',
    title: 'people with a real browser',
    folder: 'test/browser',
    workers: 1,
    deadlineMinutes: 30,
  },
  {
    name: 'e2e',
    title: 'on a real cluster with nodes',
    folder: 'test/e2e',
    workers: 1,
    // Pods that start and end: it waits more than it works, and shares nothing with the others but what is built for them.
    beside: true,
    deadlineMinutes: 55,
  },
];
