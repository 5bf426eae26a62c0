import { expect, test } from '@jest/globals';
import type { Claim, Job, Pod } from '../../../domain/kinds.ts';
import { annotations, claimName, formatJobName, labels } from '../../../domain/names.ts';
import { notBegun, planOf } from '../../../test/support/operator/plan-of.ts';
import { workload } from '../../../test/support/operator/disordered-database.ts';
import { targetOf, type Action } from '../actions.ts';
import type { Observation } from '../observation.ts';

const store = { url: 's3://b', region: 'r', accessKeyId: 'k', secretAccessKey: 's' };
const state = `60/${'ab'.repeat(16)}`;
type Topology = 'single' | 'ha-3';
const recipe = (topology: Topology) =>
  ({
    kind: { engine: 'Builtin', topology },
    known: 'some',
    knows: notBegun,
    set: 'absent',
  }) as const;
const fresh = { formatted: false, recorded: false, hasFile: false, pod: 'absent' } as const;

interface Made {
  /** What the pod of replica 0's Job said; `undefined`: the pod is not seen. */
  readonly said?: string;
  /** The words of the pod of an earlier Job of that name, which still ends. */
  readonly saidBefore?: string;
  readonly endedSecondsAgo?: number;
  /** State that the volume of replica 0, whose file is made, has on record. */
  readonly noted?: string;
}

/** The plan for a database that begins with exported files, when the Job of replica 0 has succeeded. */
function planFor(topology: Topology, made?: Made) {
  const seen = (observed: Observation): Partial<Observation> => {
    const { database, owned, nowMs } = observed;
    const bootstrap = { import: { importId: 'imp', clusterId: '7' } };
    const [first] = planActions(topology).filter(({ verb }) => verb === 'create');
    const job = first !== undefined && 'object' in first ? (first.object as Job) : undefined;
    const jobs: readonly Job[] =
      job === undefined || made === undefined || made.noted !== undefined
        ? []
        : [
            {
              ...job,
              metadata: { ...job.metadata, uid: jobUid },
              status: endedAt(nowMs - (made.endedSecondsAgo ?? 1) * 1_000),
            },
          ];
    const claims = owned.claims.map((claim) =>
      made?.noted !== undefined && claim.metadata.name === claimName(workload, 0)
        ? withNote(claim, made.noted)
        : claim,
    );
    const pods = [
      ...(made?.saidBefore === undefined ? [] : [podSaying(made.saidBefore, 'earlier')]),
      ...(made?.said === undefined ? [] : [podSaying(made.said, jobUid)]),
    ];
    return {
      database: { ...database, spec: { ...database.spec, bootstrap } },
      owned: { ...owned, claims, jobs, pods },
    };
  };
  return planOf(recipe(topology), { 0: fresh, 1: fresh, 2: fresh }, seen, { store }).draft;
}

/** What is done for the first replica before any Job is there. */
function planActions(topology: Topology): readonly Action[] {
  const seen = ({ database }: Observation): Partial<Observation> => ({
    database: {
      ...database,
      spec: { ...database.spec, bootstrap: { import: { importId: 'imp', clusterId: '7' } } },
    },
  });
  return planOf(recipe(topology), { 0: fresh, 1: fresh, 2: fresh }, seen, { store }).draft.actions;
}

const endedAt = (ms: number): NonNullable<Job['status']> => ({
  conditions: [{ type: 'Complete', status: 'True' }],
  completionTime: new Date(ms).toISOString() as unknown as Date,
});
const withNote = (claim: Claim, noted: string, formatted = true): Claim => ({
  ...claim,
  metadata: {
    ...claim.metadata,
    annotations: {
      ...claim.metadata.annotations,
      ...(formatted ? { [annotations.formatted]: '1/0' } : {}),
      [annotations.importedState]: noted,
    },
  },
});
const jobUid = '00000000-0000-4000-8000-0000000000a0';
const podSaying = (message: string, ofJob: string): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${formatJobName(workload, 0)}-x`,
      labels: {
        'batch.kubernetes.io/job-name': formatJobName(workload, 0),
        [labels.role]: 'job',
      },
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'Job', name: formatJobName(workload, 0), uid: ofJob },
      ],
    },
    status: {
      containerStatuses: [{ name: 'install', state: { terminated: { exitCode: 0, message } } }],
    },
  }) as unknown as Pod;

const done = (actions: readonly Action[]) =>
  actions
    .filter(({ verb, purpose }) => verb !== 'lend' && purpose === 'format')
    .map((action) => `${action.verb} ${targetOf(action).name}`);
const [job0, job1, job2] = [0, 1, 2].map((index) => formatJobName(workload, index));

test('the first replica of an imported database begins alone', () => {
  expect(done(planFor('ha-3').actions)).toEqual([`create ${job0}`]);
});

test('the state that the first replica found is recorded with its file, before any other begins', () => {
  const draft = planFor('ha-3', { said: JSON.stringify({ state }) });
  expect(done(draft.actions)).toEqual([`patch ${claimName(workload, 0)}`]);
  expect(JSON.stringify(draft.actions)).toContain(`"${annotations.importedState}":"${state}"`);
});

test('the words of an earlier Job of the same name are no state of the file', () => {
  const saidBefore = JSON.stringify({ state: `60/${'cd'.repeat(16)}` });
  const draft = planFor('ha-3', { saidBefore, said: JSON.stringify({ state }) });
  expect(JSON.stringify(draft.actions)).toContain(`"${annotations.importedState}":"${state}"`);
  expect(done(planFor('ha-3', { saidBefore }).actions)).toEqual([]);
});

test('the other replicas are told that state, and refuse every other one', () => {
  const { actions } = planFor('ha-3', { noted: state });
  expect(done(actions)).toEqual([`create ${job1}`, `create ${job2}`]);
  for (const action of actions.filter(({ verb }) => verb === 'create')) {
    expect(JSON.stringify(action)).toContain(`"--state=${state}"`);
  }
});

test('a file whose state is not seen yet is not recorded; after a minute its Job is made again, and tells it', () => {
  const waiting = planFor('ha-3', {});
  expect([done(waiting.actions), waiting.requeueAfterMs]).toEqual([[], 5_000]);
  const again = planFor('ha-3', { endedSecondsAgo: 90 });
  expect(again.actions).toMatchObject([{ verb: 'delete', guarded: true }]);
  expect(done(again.actions)).toEqual([`delete ${job0}`]);
});

test('a file whose Job does not tell its state begins no database of several replicas', () => {
  for (const said of ['', '{}', 'null', '{"state":"x"}']) {
    const draft = planFor('ha-3', { said, endedSecondsAgo: 90 });
    expect([done(draft.actions), draft.stall?.reason]).toEqual([[], 'FormatFailed']);
  }
});

test('a note on a volume without a file is no replica’s state, and contradicting notes start no replica', () => {
  const others = `60/${'cd'.repeat(16)}`;
  const noting = (formatted: boolean) => {
    const seen = ({ database, owned }: Observation): Partial<Observation> => ({
      database: {
        ...database,
        spec: { ...database.spec, bootstrap: { import: { importId: 'imp', clusterId: '7' } } },
      },
      owned: {
        ...owned,
        claims: owned.claims
          .map((claim) =>
            claim.metadata.name === claimName(workload, 0)
              ? withNote(claim, state)
              : withNote(claim, others, formatted),
          )
          .toReversed(),
      },
    });
    return planOf(recipe('ha-3'), { 0: fresh, 1: fresh, 2: fresh }, seen, { store }).draft;
  };
  const forged = noting(false);
  expect(JSON.stringify(forged.actions)).toContain(state);
  expect(JSON.stringify(forged.actions)).not.toContain(others);
  const mixed = noting(true);
  expect(mixed.facts.bootstrapped).not.toBe(true);
  expect(done(mixed.actions)).toEqual([]);
  expect(mixed.stall).toMatchObject({
    reason: 'FormatFailed',
    message: expect.stringContaining('do not name the same state'),
  });
});

test('a single replica needs no such record', () => {
  expect(done(planFor('single', {}).actions)).toEqual([`patch ${claimName(workload, 0)}`]);
});
