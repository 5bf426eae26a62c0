import { expect, test } from '@jest/globals';
import type { Claim, Job } from '../../../domain/kinds.ts';
import { formatJobName, labels } from '../../../domain/names.ts';
import { workload } from '../../../test/support/operator/disordered-database.ts';
import { notBegun, planOf } from '../../../test/support/operator/plan-of.ts';
import type { Observation } from '../observation.ts';

const store = { url: 's3://b', region: 'r', accessKeyId: 'k', secretAccessKey: 's' };
const fresh = { formatted: false, recorded: false, hasFile: false, pod: 'absent' } as const;

/** The plan for a database of TigerBeetle that begins with these files, before any Job is there. */
const planFor = (topology: 'single' | 'ha-3', imported: object, more: More = {}) =>
  planOn(topology, { import: { importId: 'imp', ...imported } }, more);

interface More {
  readonly clusterId?: string;
  readonly change?: (seen: Observation) => object;
  readonly engine?: 'TigerBeetle' | 'Builtin';
}

function planOn(
  topology: 'single' | 'ha-3',
  bootstrap: object,
  { clusterId, change, engine = 'TigerBeetle' }: More,
) {
  const seen = (observed: Observation): Partial<Observation> => {
    const { database, owned } = observed;
    const { clusterId: _, ...status } = database.status ?? {};
    const { clusterId: __, ...spec } = database.spec;
    return {
      database: {
        ...database,
        spec: {
          ...spec,
          ...(clusterId !== undefined && { clusterId }),
          bootstrap,
        },
        status,
      },
      // The volumes were made for the database, under its cluster ID.
      owned: {
        ...owned,
        claims: owned.claims.map((claim) => withCluster(claim, clusterId ?? '77')),
      },
      ...change?.(observed),
    };
  };
  const recipe = {
    kind: { engine, topology },
    known: 'some',
    knows: notBegun,
    set: 'absent',
  } as const;
  return planOf(recipe, { 0: fresh, 1: fresh, 2: fresh }, seen, { store }).draft;
}

const withCluster = (claim: Claim, clusterId: string): Claim => ({
  ...claim,
  metadata: {
    ...claim.metadata,
    labels: { ...claim.metadata.labels, [labels.clusterId]: clusterId },
  },
});

const jobsOf = ({ actions }: ReturnType<typeof planFor>): readonly Job[] =>
  actions.flatMap((action) =>
    action.verb === 'create' && action.purpose === 'format' ? [action.object as Job] : [],
  );

test('each replica of TigerBeetle gets the file of its index, under the cluster ID of the files, and none is formatted', () => {
  const withoutVolumes = ({ owned }: Observation) => ({ owned: { ...owned, claims: [] } });
  const begun = planFor('ha-3', { clusterId: '77' }, { change: withoutVolumes });
  expect(begun.facts.clusterId).toBe('77');
  const draft = planFor('ha-3', { clusterId: '77' });
  const jobs = jobsOf(draft);
  // None waits for what the first one found.
  expect(jobs.map(({ metadata }) => metadata.name)).toEqual(
    [0, 1, 2].map((index) => formatJobName(workload, index)),
  );
  for (const [index, job] of jobs.entries()) {
    const pod = job.spec?.template.spec;
    const [prepare, engine] = pod?.initContainers ?? [];
    expect(engine?.args).toEqual([
      'fetch-import',
      '--store=s3://b',
      '--region=r',
      '--credentials=/store',
      '--import=imp',
      expect.stringMatching(/^--release=0\.\d+\.\d+$/),
      '--cluster=77',
      `--replica=${index}`,
      '--replica-count=3',
      `/data/77_${index}.tigerbeetle.partial`,
    ]);
    // The program is the built-in engine's.
    expect(engine).not.toHaveProperty('command');
    expect(engine?.image).not.toContain('tigerbeetle');
    expect(prepare?.args).toEqual(['prepare', `--path=/data/77_${index}.tigerbeetle`]);
    expect(pod?.containers[0]?.args).toContain('--engine=TigerBeetle');
  }
  expect(draft.actions.some(({ verb, purpose }) => verb === 'lend' && purpose === 'store')).toBe(
    true,
  );
});

const without = ({ catalog }: Pick<Observation, 'catalog'>) => ({
  catalog: catalog && {
    ...catalog,
    spec: {
      ...catalog.spec,
      engines: catalog.spec.engines.filter(({ name }) => name === 'TigerBeetle'),
    },
  },
});

test('a database of TigerBeetle with another cluster ID than its files, with rows, or without a program that copies them is never formatted instead', () => {
  const rows = {
    accounts: 'a'.repeat(64),
    partSizeBytes: 8_388_608,
    now: '1800000000000000000',
    state: `3/${'ab'.repeat(16)}`,
  };
  for (const [draft, message] of [
    [planFor('single', { clusterId: '77' }, { clusterId: '78' }), /leave spec.clusterId out/],
    [planFor('single', { rows }), /only databases of the built-in engine can begin with rows/],
    [planFor('single', { clusterId: '77' }, { change: without }), /the catalog has none/],
  ] as const) {
    expect(jobsOf(draft)).toEqual([]);
    expect(draft.stall).toMatchObject({
      reason: 'ImportUnavailable',
      message: expect.stringMatching(message),
    });
  }
});

test('files that are copied are on record, though the catalog has lost the program that copied them', () => {
  const succeeded = ({ owned, catalog }: Observation) => ({
    owned: {
      ...owned,
      claims: owned.claims.map((claim) => withCluster(claim, '77')),
      jobs: jobsOf(planFor('ha-3', { clusterId: '77' })).map((job) => ({
        ...job,
        status: { conditions: [{ type: 'Complete', status: 'True' }] },
      })),
    },
    ...without({ catalog }),
  });
  const draft = planFor('ha-3', { clusterId: '77' }, { change: succeeded });
  const noted = draft.actions.filter(
    ({ verb, purpose }) => verb === 'patch' && purpose === 'format',
  );
  expect(noted).toHaveLength(3);
  expect(draft.stall).toBeUndefined();
});

const backup = {
  databaseId: 'db_01jd8f3zk5e0v9t3m2q6r8w4xy',
  backupId: 'bkp_01jd8f3zk5e0v9t3m2q6r8w4xy',
  clusterId: '77',
};

test('each replica of TigerBeetle gets its file of a backup of data files, under their cluster ID, and nothing is filled', () => {
  const withoutVolumes = ({ owned }: Observation) => ({ owned: { ...owned, claims: [] } });
  const begun = planOn('ha-3', { backup }, { change: withoutVolumes });
  expect(begun.facts).toMatchObject({ clusterId: '77' });
  expect(begun.facts.filled).toBeUndefined();
  const draft = planOn('ha-3', { backup }, {});
  const jobs = jobsOf(draft);
  expect(jobs.map(({ metadata }) => metadata.name)).toEqual(
    [0, 1, 2].map((index) => formatJobName(workload, index)),
  );
  for (const [index, job] of jobs.entries()) {
    const [, engine] = job.spec?.template.spec?.initContainers ?? [];
    expect(engine?.args).toEqual([
      'restore-file',
      '--store=s3://b',
      '--region=r',
      '--credentials=/store',
      `--database=${backup.databaseId}`,
      `--backup=${backup.backupId}`,
      expect.stringMatching(/^--release=0\.\d+\.\d+$/),
      '--cluster=77',
      `--replica=${index}`,
      '--replica-count=3',
      `/data/77_${index}.tigerbeetle.partial`,
    ]);
    expect(engine?.image).not.toContain('tigerbeetle');
  }
  expect(draft.actions.some(({ verb, purpose }) => verb === 'lend' && purpose === 'store')).toBe(
    true,
  );
});

test('a database with another cluster ID than the data files of its backup, or of the built-in engine, is never formatted instead', () => {
  for (const [draft, message] of [
    [planOn('single', { backup }, { clusterId: '78' }), /leave spec.clusterId out/],
    [planOn('single', { backup }, { engine: 'Builtin' }), /with engine: TigerBeetle/],
  ] as const) {
    expect(jobsOf(draft)).toEqual([]);
    expect(draft.stall).toMatchObject({
      reason: 'BackupsUnavailable',
      message: expect.stringMatching(message),
    });
  }
});
