import { expect, test } from '@jest/globals';
import pino from 'pino';
import type { Timers } from '../../base/timers.ts';
import type { WorkerSighting } from '../store/workers.ts';
import { WorkerWatch } from './worker-watch.ts';

const silent = pino({ level: 'silent' });
const worker = (more: Partial<WorkerSighting> = {}): WorkerSighting => ({
  id: 'worker-1',
  version: '0.1.0',
  problem: null,
  seenAt: new Date(0),
  ageMs: 1_000,
  stopped: false,
  ...more,
});

/** The state after one look, and `laterMs` after it without another one that succeeds. */
async function stateOf(workers: readonly WorkerSighting[], laterMs = 0) {
  let nowMs = 0;
  const timers: Timers = { nowMs: () => nowMs, wallMs: () => nowMs, after: () => () => {} };
  const watch = new WorkerWatch({ list: async () => workers, logger: silent, timers });
  watch.start();
  await new Promise((resolve) => setImmediate(resolve));
  nowMs = laterMs;
  const { status, alive, problem } = watch.state;
  return { status, alive, problem, working: watch.working };
}

test.each([
  ['nobody', [], 'STOPPED', 0, false],
  ['a worker that lives', [worker()], 'RUNNING', 1, true],
  ['a worker that is silent for half a minute', [worker({ ageMs: 30_001 })], 'STOPPED', 0, false],
  ['a worker that ended in order', [worker({ stopped: true })], 'STOPPED', 0, false],
  ['one that lives beside one that died', [worker(), worker({ ageMs: 1e9 })], 'RUNNING', 1, true],
  [
    'one that can work beside one that cannot',
    [worker({ problem: 'x' }), worker()],
    'RUNNING',
    2,
    true,
  ],
  ['one that lives and cannot work', [worker({ problem: 'x' })], 'RUNNING', 1, false],
] as const)('%s', async (_, workers, status, alive, working) => {
  expect(await stateOf(workers)).toMatchObject({ status, alive, working });
});

test('a state that was read too long ago is unknown', async () => {
  expect(await stateOf([worker()], 30_001)).toMatchObject({ status: 'UNKNOWN', working: false });
});
