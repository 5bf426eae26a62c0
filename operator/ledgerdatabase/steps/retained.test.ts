import { expect, test } from '@jest/globals';
import type { DatabaseObject } from '../../../domain/custom-resources.ts';
import { resources, type Claim } from '../../../domain/kinds.ts';
import { annotations, labels } from '../../../domain/names.ts';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { planOf } from '../../../test/support/operator/plan-of.ts';
import { cachesOf } from '../../../test/support/operator/simulated-cluster.ts';
import { targetOf } from '../actions.ts';
import type { Observation } from '../observation.ts';
import { observeCaches } from '../observe.ts';

const left = 'db_01kaj7q9v5e8r9h2m3n4p5q6r8';
const none = { service: 'absent', claim: 'absent', pod: 'absent', formatted: false } as const;
const isNew = {
  kind: { engine: 'Builtin', topology: 'single' },
  known: 'nothing',
  set: 'absent',
  surroundings: 'absent',
} as const;

/** What a database of that name, which is gone, left in the namespace. */
const volume = (changes: { labels?: object; annotations?: object; metadata?: object } = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace: 'org-acme',
      name: 'data-payments-aaaaaa-0',
      uid: 'claim',
      labels: {
        [labels.database]: 'payments',
        [labels.workload]: 'payments-aaaaaa',
        [labels.databaseId]: left,
        [labels.uid]: 'aaaaaaaa-gone',
        ...changes.labels,
      },
      annotations: {
        [annotations.formatted]: '42/0',
        [annotations.purgeAt]: '2026-11-28T00:00:00Z',
        ...changes.annotations,
      },
      ...changes.metadata,
    },
  }) as unknown as Claim;

type Change = (database: Observation['database']) => object;

function planBeside(found: readonly KubeObject[], change: Change = () => ({})) {
  const seen = (observed: Observation): Partial<Observation> => {
    const database = { ...observed.database, ...change(observed.database) } as DatabaseObject;
    const all = new Map(found.map((one) => [`${one.kind}/${one.metadata.name}`, one]));
    const { retained } = observeCaches(cachesOf(all), database);
    return { database, retained };
  };
  return planOf(isNew, { 0: none }, seen).draft;
}
const begins = ({ actions, stall }: ReturnType<typeof planBeside>) =>
  stall?.reason !== 'VolumesRetained' &&
  actions.some((action) => targetOf(action).resource === resources.service);
const annotated =
  (word: string): Change =>
  ({ metadata }) => ({
    metadata: { ...metadata, annotations: { [annotations.beginEmpty]: word } },
  });

test('a database under the name of one whose volumes are kept does not begin empty by mistake, and is told both ways out', () => {
  const draft = planBeside([volume()]);
  expect(draft.actions).toEqual([]);
  expect(draft.stall?.reason).toBe('VolumesRetained');
  expect(draft.stall?.message).toContain(`spec.bootstrap.volumes.databaseId: ${left}`);
  expect(draft.stall?.message).toContain(
    `annotate ldb payments --overwrite ${annotations.beginEmpty}=${left}`,
  );
  expect(draft.stall?.message).toContain('2026-11-28T00:00:00Z');
});

test('it begins empty when a person says so of these very volumes', () => {
  expect(begins(planBeside([volume()], annotated(left)))).toBe(true);
  expect(begins(planBeside([volume()], annotated('db_another')))).toBe(false);
});

test('a person’s word about earlier volumes says nothing of later ones, though these are not marked yet', () => {
  const of = (databaseId: string, workload: string, purgeAt?: string) =>
    volume({
      metadata: { name: `data-${workload}-0` },
      labels: { [labels.databaseId]: databaseId, [labels.workload]: workload },
      annotations: { [annotations.purgeAt]: purgeAt },
    });
  const first = of('db_1', 'payments-aaaaaa', '2026-11-25T00:00:00Z');
  const second = of('db_2', 'payments-bbbbbb', '2026-11-26T00:00:00Z');
  const justNow = of('db_3', 'payments-cccccc');
  const { stall } = planBeside([first, justNow, second], annotated('db_1,db_2'));
  expect(stall?.reason).toBe('VolumesRetained');
  expect(stall?.message).toContain('databaseId: db_3.');
  expect(stall?.message).toContain(`${annotations.beginEmpty}=db_3,db_2,db_1`);
  // The older ones are asked for, too: they may be the ones with the data.
  expect(begins(planBeside([first, second], annotated('db_2')))).toBe(false);
  expect(begins(planBeside([first, justNow, second], annotated('db_3,db_2,db_1')))).toBe(true);
});

test('a database that says with what it begins, or that the API made, is not asked', () => {
  const backup = { databaseId: left, backupId: 'bkp_1' };
  const restored: Change = ({ spec }) => ({ spec: { ...spec, bootstrap: { backup } } });
  expect(planBeside([volume()], restored).stall?.reason).not.toBe('VolumesRetained');
  const byApi: Change = ({ metadata }) => ({
    metadata: { ...metadata, labels: { [labels.databaseId]: 'db_01kaj7q9v5e8r9h2m3n4p5q6r7' } },
  });
  expect(begins(planBeside([volume()], byApi))).toBe(true);
});

test.each<[string, readonly KubeObject[]]>([
  ['of another name', [volume({ labels: { [labels.database]: 'shop' } })]],
  ['of another namespace', [volume({ metadata: { namespace: 'org-bolt' } })]],
  ['without data', [volume({ annotations: { [annotations.formatted]: undefined } })]],
  ['that are going', [volume({ metadata: { deletionTimestamp: '2026-11-21T00:00:00Z' } })]],
  [
    'of a database that is there',
    [
      volume(),
      {
        apiVersion: 'ledgerhouse.dev/v1alpha1',
        kind: 'LedgerDatabase',
        metadata: { namespace: 'org-bolt', name: 'payments', uid: 'aaaaaaaa-gone' },
      },
    ],
  ],
])('volumes %s keep nobody waiting', (_, found) => {
  expect(begins(planBeside(found))).toBe(true);
});

test('a database that has begun is not stopped by what others left', () => {
  const { draft } = planOf(
    { ...isNew, known: 'all', set: 'current', surroundings: 'there' },
    {},
    () => ({ retained: [volume()] }),
  );
  expect(draft.stall).toBeUndefined();
});
