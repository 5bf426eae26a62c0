import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { planOf } from '../../test/support/operator/plan-of.ts';
import { recipe, type Recipe } from '../../test/support/operator/disordered-database.ts';
import type { Observation } from './observation.ts';
import { plan } from './plan.ts';
import { statusOf } from './status.ts';

const single = { kind: { engine: 'Builtin', topology: 'single' } } as const;
const larger = { changes: { size: 'lh-40', sizeGb: 5, version: 'old' } } as const;

function paused(changes: Partial<Recipe>, replicas: readonly Recipe['replicas'][number][] = []) {
  const running = planOf(changes, Object.fromEntries(replicas.entries()));
  const { observed } = running;
  const { addresses } = running.draft.facts;
  const database = {
    ...observed.database,
    status: { ...observed.database.status, ...(addresses === undefined ? {} : { addresses }) },
  };
  const now: Observation = {
    ...observed,
    database: { ...database, spec: { ...database.spec, paused: true } },
  };
  const draft = plan(now, { operatorNamespace: 'ledgerhouse-system' });
  const status = statusOf(now, draft);
  const condition = (type: string) => status.conditions?.find((one) => one.type === type);
  return { draft, status, condition, before: database.status };
}

test('the changes that a paused database asks for are reported and not made, and the running version is reported', () => {
  const { draft, status, condition, before } = paused({ ...single, ...larger });
  expect(draft.actions).toEqual([]);
  const told = { status: 'True', reason: 'Paused' };
  expect(condition('Paused')).toMatchObject(told);
  expect(condition('Paused')?.message).toContain('PersistentVolumeClaim');
  expect(condition('Ready')).toMatchObject({ status: 'False', reason: 'Paused' });
  expect(condition('Reconciling')).toMatchObject({ status: 'False', reason: 'Settled' });
  expect(condition('Available')?.status).toBe('True');
  // The request may be withdrawn during the pause, and must then leave nothing behind: volumes never shrink.
  expect(status.storage?.requestedGb).toBe(before.storage?.requestedGb);
});

test('a paused database with nothing to do is ready', () => {
  const { condition } = paused(single);
  expect(condition('Paused')?.message).toContain('nothing is left undone');
  expect(condition('Ready')?.status).toBe('True');
  expect(planOf(single).condition('Paused')).toMatchObject({
    status: 'False',
    reason: 'NotPaused',
  });
});

test('a wish to suspend is not said to be done while the database is paused', () => {
  const { condition } = paused({ ...single, suspend: true, set: 'awake' });
  expect(condition('Suspended')).toMatchObject({ status: 'False', reason: 'NotSuspended' });
  expect(condition('Paused')?.message).toContain('StatefulSet');
});

test('volumes of a paused database are not deleted with it', () => {
  const { draft, condition } = paused({
    ...single,
    deleting: true,
    held: true,
    deletionPolicy: 'Delete',
    suspend: true,
  });
  expect(draft.actions).toEqual([]);
  expect(condition('Paused')?.message).toContain('delete PersistentVolumeClaim');
});

test('a paused database in any state: nothing is done or decided, and all planned actions are reported', () => {
  fc.assert(
    fc.property(recipe, (made) => {
      const { replicas, ...changes } = made;
      const { draft, status, condition, before } = paused(changes, replicas);
      expect(draft.actions).toEqual([]);
      for (const field of ['resolved', 'endpoints', 'bootstrapped', 'workload'] as const)
        expect(status[field]).toEqual(before[field]);
      const wanted =
        planOf(changes, Object.fromEntries(replicas.entries())).draft.actions.length > 0;
      const message = condition('Paused')?.message ?? '';
      if (wanted) expect(message).toContain('left undone: ');
      if (wanted) expect(condition('Ready')?.status).toBe('False');
    }),
    { numRuns: 150 },
  );
});
