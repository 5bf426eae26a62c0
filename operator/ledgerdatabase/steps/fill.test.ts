import { expect, test } from '@jest/globals';
import type { Job, Pod } from '../../../domain/kinds.ts';
import { connectLabel, fillJobName, labels } from '../../../domain/names.ts';
import { workload } from '../../../test/support/operator/disordered-database.ts';
import { notBegun, planOf } from '../../../test/support/operator/plan-of.ts';
import { targetOf } from '../actions.ts';
import { buildFillJob } from '../fill-job.ts';
import type { Observation } from '../observation.ts';
import { withIntent } from '../../manifests/intent.ts';
import { newestBuiltinOf } from '../../engines/newest-builtin.ts';

const store = { url: 's3://b', region: 'r', accessKeyId: 'k', secretAccessKey: 's' };
const well = { kind: { engine: 'TigerBeetle', topology: 'ha-3' }, fills: 'begins' } as const;
const fresh = { formatted: false, recorded: false, hasFile: false, pod: 'absent' } as const;
const unborn = {
  ...well,
  known: 'some',
  knows: notBegun,
  set: 'absent',
  surroundings: 'absent',
} as const;
type Change = (observed: Observation) => Partial<Observation>;

const running = (seen?: Change) => planOf(well, {}, seen, { store }).draft;
const born = (seen?: Change) =>
  planOf(unborn, { 0: fresh, 1: fresh, 2: fresh }, seen, { store }).draft;
const created = ({ actions }: ReturnType<typeof running>) =>
  actions.filter(({ verb }) => verb === 'create').map((action) => targetOf(action).name);

/** The Job as the plan would make it, ended with these words. */
function ended(work: 'check' | 'fill', type: 'Complete' | 'Failed', words: object): Change {
  return (observed) => {
    const plan = work === 'check' ? born() : running();
    const newest = newestBuiltinOf(observed.catalog!.spec);
    if (plan.subject?.restoredFrom === undefined || 'problem' in newest) throw new Error('none');
    const { subject } = plan;
    const origin = plan.subject.restoredFrom;
    const program = newest.resolved.engine;
    const made = withIntent(buildFillJob({ subject, store, origin, program, work }));
    const job = {
      ...made,
      metadata: { ...made.metadata, uid: 'u-fill' },
      status: { conditions: [{ type, status: 'True' }] },
    } as Job;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'fill-pod',
        labels: { [labels.role]: 'job', 'batch.kubernetes.io/job-name': job.metadata.name },
        ownerReferences: [{ kind: 'Job', name: job.metadata.name, uid: job.metadata.uid }],
      },
      status: {
        containerStatuses: [
          { name: 'fill', state: { terminated: { exitCode: 1, message: JSON.stringify(words) } } },
        ],
      },
    } as unknown as Pod;
    const { owned } = observed;
    return { owned: { ...owned, jobs: [job], pods: [...owned.pods, pod] } };
  };
}

test('a backup is looked at before a database of TigerBeetle gets volumes', () => {
  expect(created(born()).filter((name) => /fill|data-|format/.test(name))).toEqual(
    expect.arrayContaining([fillJobName(workload, 'check')]),
  );
  expect(created(born()).filter((name) => /format/.test(name))).toEqual([]);
  const refused = born(
    ended('check', 'Failed', { error: 'timeouts_open', message: 'Pending transfers are open.' }),
  );
  expect(refused.stall).toMatchObject({
    reason: 'FillFailed',
    message: expect.stringContaining('timeouts_open: Pending transfers are open.'),
  });
  expect(created(refused).filter((name) => /format/.test(name))).toEqual([]);
});

test('a cluster is filled once its replicas are ready, and counts as filled when the Job has succeeded', () => {
  const draft = running();
  expect(created(draft)).toContain(fillJobName(workload, 'fill'));
  expect(draft.facts.filled).toBe(false);
  expect(running(ended('fill', 'Complete', {})).facts.filled).toBe(true);
});

test('the Job that fills is made again when the cluster was away, and waits for a person when the cluster is another ledger', () => {
  const away = running(ended('fill', 'Failed', { error: 'cluster_unreachable', message: 'no' }));
  expect(away.stall).toBeUndefined();
  expect(away.actions.map((action) => [action.verb, targetOf(action).name])).toContainEqual([
    'delete',
    fillJobName(workload, 'fill'),
  ]);
  const other = running(ended('fill', 'Failed', { error: 'cluster_differs', message: 'no' }));
  expect(other.stall).toMatchObject({ reason: 'FillFailed' });
});

test.each([
  ['fill', 'cluster_behind'],
  ['check', 'timestamps_ahead'],
] as const)(
  'a Job to %s that found the clocks behind the backup (%s) is made again by itself, since they get there',
  (work, error) => {
    const seen = ended(work, 'Failed', { error, message: 'Set the clocks right.' });
    const { actions, stall, waiting } = work === 'check' ? born(seen) : running(seen);
    expect(stall).toBeUndefined();
    expect(waiting).toContain(`it is tried again: ${error}: Set the clocks right.`);
    expect(actions.map((action) => [action.verb, targetOf(action).name])).toContainEqual([
      'delete',
      fillJobName(workload, work),
    ]);
  },
);

test('a clock that is far behind does not let the whole backup be read again without a pause', () => {
  const triedAgain = (error: string, failedSecondsAgo: number) => {
    const seen: Change = (observed) => {
      const change = ended('check', 'Failed', { error, message: 'Wait.' })(observed);
      const at = new Date(observed.nowMs - failedSecondsAgo * 1_000).toISOString();
      const [job] = change.owned?.jobs ?? [];
      const [failed] = job?.status?.conditions ?? [];
      Object.assign(failed ?? {}, { lastTransitionTime: at });
      return change;
    };
    const { actions, waiting, requeueAfterMs } = born(seen);
    expect(waiting).toContain(`it is tried again: ${error}: Wait.`);
    const isDeleted = actions.some(
      (action) =>
        action.verb === 'delete' && targetOf(action).name === fillJobName(workload, 'check'),
    );
    return isDeleted ? 'at once' : requeueAfterMs;
  };
  expect(triedAgain('timestamps_ahead', 599)).toBe(1_000);
  expect(triedAgain('timestamps_ahead', 600)).toBe('at once');
  expect(triedAgain('store_unreachable', 0)).toBe('at once');
});

test('a Job that fills from another store than the present one is replaced while it runs', () => {
  const runsWith = (of: typeof store) =>
    running((observed) => {
      const { subject } = running();
      const newest = newestBuiltinOf(observed.catalog!.spec);
      if (subject?.restoredFrom === undefined || 'problem' in newest) throw new Error('none');
      const origin = subject.restoredFrom;
      const program = newest.resolved.engine;
      const plan = { subject, store: of, origin, program, work: 'fill' } as const;
      return { owned: { ...observed.owned, jobs: [withIntent(buildFillJob(plan))] } };
    }).actions.map((action) => [action.verb, targetOf(action).name]);
  const deleted = ['delete', fillJobName(workload, 'fill')];
  expect(runsWith(store)).not.toContainEqual(deleted);
  expect(runsWith({ ...store, accessKeyId: 'former' })).toContainEqual(deleted);
  expect(runsWith({ ...store, url: 's3://former' })).toContainEqual(deleted);
});

test('a reason that is cut ends behind a word, and is followed by what to do', () => {
  const message =
    'The row differs from the one of the backup, and nobody else may write here. '.repeat(20);
  const { stall } = running(ended('fill', 'Failed', { error: 'cluster_differs', message }));
  expect(stall?.message).toMatch(/ (here\.|backup,|[a-z]+) …\. Look: kubectl -n /);
});

test('clients are let in after the volumes no longer say that they have only a part', () => {
  const lets = ({ actions }: ReturnType<typeof running>) =>
    actions.some((action) => JSON.stringify(action).includes(connectLabel('payments')));
  const isFilled: Change = ({ database }) => ({
    database: { ...database, status: { ...database.status, filled: true } },
  });
  const noted = running(isFilled);
  expect(lets(noted)).toBe(false);
  expect(
    noted.actions.filter(({ verb }) => verb === 'patch').map(({ purpose }) => purpose),
  ).toEqual(['record', 'record', 'record']);
  const free = running((observed) => {
    const claims = observed.owned.claims.map((claim) => ({
      ...claim,
      metadata: { ...claim.metadata, annotations: { 'ledgerhouse.dev/formatted': '42/0' } },
    }));
    return { ...isFilled(observed), owned: { ...observed.owned, claims } };
  });
  expect(lets(free)).toBe(true);
});

test('the Job that has looked, and its volume, go before the cluster is filled', () => {
  const { actions } = running(ended('check', 'Complete', {}));
  expect(actions.map((action) => [action.verb, targetOf(action).name])).toContainEqual([
    'delete',
    fillJobName(workload, 'check'),
  ]);
});
