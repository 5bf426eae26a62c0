import { expect, test } from '@jest/globals';
import type { JobStep } from '../model/job.ts';
import { advance } from './steps.ts';

const at = '2026-11-21T02:03:04.567Z';
const before = '2026-11-21T02:03:00.000Z';
const step = (name: string, status: JobStep['status'] = 'PENDING'): JobStep => ({
  name,
  status,
  startedAt: status === 'PENDING' ? null : before,
  finishedAt: status === 'SUCCEEDED' ? before : null,
});
const progress = { percent: 0, message: 'Queued.', estimatedSecondsRemaining: null };
const of = (...steps: JobStep[]) => ({ steps, progress });

test('a step that begins ends those before it', () => {
  const { steps, progress: shown } = advance(
    of(step('create', 'RUNNING'), step('start'), step('probe'), step('end')),
    'probe',
    'RUNNING',
    at,
    { message: 'Probing.' },
  );
  expect(steps).toEqual([
    { name: 'create', status: 'SUCCEEDED', startedAt: before, finishedAt: at },
    { name: 'start', status: 'SUCCEEDED', startedAt: at, finishedAt: at },
    { name: 'probe', status: 'RUNNING', startedAt: at, finishedAt: null },
    step('end'),
  ]);
  expect(shown).toEqual({ percent: 50, message: 'Probing.', estimatedSecondsRemaining: null });
});

test('told again, nothing changes but the words', () => {
  const running = of(step('create', 'SUCCEEDED'), step('start', 'RUNNING'));
  expect(advance(running, 'start', 'RUNNING', at)).toEqual({
    steps: running.steps,
    progress: { ...progress, percent: 50 },
  });
});

test('failed and skipped steps keep their result', () => {
  const { steps } = advance(
    of(step('a', 'SKIPPED'), step('b', 'FAILED'), step('c')),
    'c',
    'SUCCEEDED',
    at,
  );
  expect(steps.map(({ status }) => status)).toEqual(['SKIPPED', 'FAILED', 'SUCCEEDED']);
});

test('a step that the job has not is a mistake', () => {
  expect(() => advance(of(step('a')), 'b', 'RUNNING', at)).toThrow('no step b');
});
