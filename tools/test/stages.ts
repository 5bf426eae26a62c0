import type { GroupName } from '../cluster/binaries.ts';

/** The stages of the ladder of tests. A stage is a folder of Jest suites, or all unit tests beside the code. */
export interface Stage {
  readonly name: string;
  readonly title: string;
  /** Folder of the suites; `undefined` means the unit tests beside the code. */
  readonly folder?: string;
  /** Number of suites at a time. Stages whose suites share a machine-wide thing (a cluster, a port, a disk) have one. */
  readonly workers: number;
  /** Deadline for a run that hangs. It shares the processors with other lanes, and the machine may have other users. */
  readonly deadlineMinutes: number;
  /** Groups of programs (`tools/cluster/binaries.ts`) that are built before the deadlines of its tests count. */
  readonly programs?: readonly GroupName[];
  /** Stages of a lane run one after the other in this order; lanes run side by side. Default: `main`. */
  readonly lane?: 'beside' | 'cluster';
}

/*
 * Most suites wait for long: for leases, back-offs, pods that start and end. Lanes side by side keep the processors at work meanwhile;
 * they share only the built images and programs.
 */
export const stages: readonly Stage[] = [
  { name: 'unit', title: 'unit tests, no I/O', workers: 2, deadlineMinutes: 85 },
  {
    name: 'repository',
    title: 'the rules of the repository itself',
    folder: 'test/repository',
    workers: 1,
    deadlineMinutes: 20,
  },
  {
    name: 'conformance',
    title: 'official clients against the engine',
    folder: 'test/conformance',
    workers: 1,
    lane: 'beside',
    deadlineMinutes: 60,
  },
  {
    name: 'crash',
    title: 'kill, cut, flip, fill',
    folder: 'test/crash',
    workers: 1,
    lane: 'beside',
    deadlineMinutes: 60,
  },
  {
    name: 'replication',
    title: 'the replicated log and replicas of it on real etcd members',
    folder: 'test/replication',
    workers: 1,
    programs: ['etcd'],
    lane: 'beside',
    deadlineMinutes: 60,
  },
  {
    name: 'chaos',
    title: 'three replicas under a minute of faults, and who judges them',
    folder: 'test/chaos',
    workers: 1,
    programs: ['etcd'],
    lane: 'beside',
    deadlineMinutes: 60,
  },
  {
    name: 'integration',
    title: 'against a real control plane',
    folder: 'test/integration',
    // A suite takes a third of a processor; the rest of its time it waits for back-offs and leases of Kubernetes. With three suites
    // at a time the processors of a whole run were 91 % busy; with four, on a slower machine, 98 %, and it took longer.
    workers: 3,
    programs: ['control-plane', 'node', 'etcd', 'helm', 'versitygw', 'stripe-mock', 'kfake'],
    deadlineMinutes: 85,
  },
  {
    name: 'browser',
    title: 'people with a real browser',
    folder: 'test/browser',
    workers: 1,
    programs: ['control-plane', 'etcd'],
    lane: 'beside',
    deadlineMinutes: 60,
  },
  {
    name: 'e2e',
    title: 'on a real cluster with nodes',
    folder: 'test/e2e',
    workers: 1,
    programs: ['control-plane', 'node', 'etcd', 'coredns', 'helm', 'versitygw'],
    lane: 'cluster',
    deadlineMinutes: 85,
  },
];

/**
 * Suites that take long though their files are small: begun last, one of them would be alone at the end while the other workers have
 * nothing to do. A fresh checkout knows no times of earlier runs, and Jest goes by the sizes of files then.
 */
export const beginFirst: readonly string[] = [
  'test/integration/api/backup-attacks.test.ts',
  'test/integration/api/fuzz.test.ts',
  'test/integration/operator/backups.test.ts',
  'test/integration/operator/operator-crash.test.ts',
];
