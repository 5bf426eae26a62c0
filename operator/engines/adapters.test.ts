import { expect, test } from '@jest/globals';
import { subjectOf, withResolved } from '../../test/support/operator/subjects.ts';
import { buildFormatJob } from '../manifests/format-job.ts';
import { nanosOf } from '../../base/kube/quantity.ts';
import { adapterOf } from './adapters.ts';

test.each([
  // reference: TigerBeetle's documentation, "Cluster"; etcd: more than half.
  ['TigerBeetle', 1, 1, 1],
  ['TigerBeetle', 3, 2, 2],
  ['TigerBeetle', 6, 3, 4],
  ['Builtin', 1, 1, 1],
  ['Builtin', 3, 2, 2],
  ['Builtin', 6, 4, 4],
])(
  '%s: of %i replicas, %i commit and %i go on without the primary',
  (engine, replicas, replication, viewChange) => {
    expect(adapterOf(engine).quorum(replicas)).toEqual({
      replication,
      viewChange,
      upgrade: replicas,
    });
  },
);

test('a new version of TigerBeetle is active when the engines say so, of ours when the pods are there', () => {
  expect(adapterOf('TigerBeetle').activeBy).toBe('release');
  expect(adapterOf('Builtin').activeBy).toBe('image');
});

test('an engine that is none is a bug: the catalog has no others', () => {
  expect(() => adapterOf('Postgres')).toThrow('no adapter for the engine "Postgres"');
});

test.each(['Builtin', 'TigerBeetle'] as const)(
  '%s: a pod asks for what its size says, no more',
  (engine) => {
    const subject = subjectOf(engine, 'ha-3');
    const { size } = subject.resolved;
    const sum = (kind: 'requests' | 'limits', what: string) =>
      adapterOf(engine)
        .containers(subject)
        .map(({ resources }) => nanosOf(resources?.[kind]?.[what] ?? '0') ?? 0n)
        .reduce((a, b) => a + b);
    expect(sum('requests', 'cpu')).toBe(nanosOf(`${size.cpuMillis}m`));
    expect(sum('requests', 'memory')).toBe(nanosOf(`${size.memoryMib}Mi`));
    expect(sum('limits', 'memory')).toBe(nanosOf(`${size.memoryMib}Mi`));
    expect(sum('limits', 'cpu')).toBe(0n);
  },
);

test('several replicas of ours have a member of etcd each on top, and their data files are made where both have room', () => {
  const subject = subjectOf('Builtin', 'ha-3');
  const [, member] = adapterOf('Builtin').beside(subject).initContainers;
  expect(member?.resources).toEqual({
    requests: { cpu: '200m', memory: '1024Mi' },
    limits: { memory: '2048Mi' },
  });
  const job = buildFormatJob({ subject, index: 0 }).spec?.template.spec;
  const engine = job?.initContainers?.find(({ name }) => name === 'engine');
  expect(engine?.resources?.requests).toEqual({ cpu: '2200m', memory: '9216Mi' });
});

test.each([
  [8192, {}, '--cache-grid=3968MiB'],
  [32_768, {}, '--cache-grid=28544MiB'],
  // Too small for TigerBeetle by the catalog's rule, so its own default applies.
  [1024, {}, '--cache-grid=1024MiB'],
  [8192, { cacheGrid: '--cache-grid=2GiB' }, '--cache-grid=2GiB'],
])('of %i MiB with %j TigerBeetle is given %s, once', (memoryMib, parameters, flag) => {
  const size = { name: 'any', cpuMillis: 1000, memoryMib };
  const subject = withResolved(subjectOf('TigerBeetle', 'single'), { size, parameters });
  const args = adapterOf('TigerBeetle').containers(subject)[0]?.args ?? [];
  expect(args.filter((arg) => arg.startsWith('--cache-grid'))).toEqual([flag]);
});

test.each(['Builtin', 'TigerBeetle'] as const)(
  '%s gets the parameters as flags before its data file, in one order',
  (engine) => {
    const flags = { limitB: '--limit-b=2', limitA: '--limit-a=1' };
    const subject = withResolved(subjectOf(engine, 'single'), { parameters: flags });
    const args = adapterOf(engine).containers(subject)[0]?.args ?? [];
    expect(args.slice(-3, -1)).toEqual(['--limit-a=1', '--limit-b=2']);
    expect(args.at(-1)).toMatch(/^\/data\/\d+_\$\(REPLICA_INDEX\)\.(ledger|tigerbeetle)$/);
  },
);

test('only TigerBeetle leaves the runtime’s seccomp profile, and the chart may choose how', () => {
  const subject = subjectOf('TigerBeetle', 'single');
  expect(adapterOf('Builtin').seccompProfile(subject)).toBeUndefined();
  expect(adapterOf('TigerBeetle').seccompProfile(subject)).toEqual({
    type: 'Localhost',
    localhostProfile: 'profiles/ledgerhouse-io-uring.json',
  });
  const unconfined = { ...subject, tigerBeetleSeccomp: 'Unconfined' } as const;
  expect(adapterOf('TigerBeetle').seccompProfile(unconfined)).toEqual({ type: 'Unconfined' });
});
