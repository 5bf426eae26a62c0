import { expect, test } from '@jest/globals';
import { settle, VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure } from '../failure.ts';
import { Patience } from '../patience.ts';
import { partsOf, uploadParts, type Part } from './upload.ts';

const failure = (exitCode: ExitCode) =>
  new CliFailure({ exitCode, code: 'c', title: 'T', detail: 'D' });
const passing = failure(ExitCode.General);
const final = failure(ExitCode.Validation);

interface Sending {
  readonly part: Part;
  readonly arrive: () => void;
  readonly fail: (failure: CliFailure) => void;
}

/** An upload whose parts arrive, or fail, when the test says so. */
function upload({ count = 10, files = 1, inFlightBytesMax = 30, patienceMs = 600_000 } = {}) {
  const timers = new VirtualTimers();
  const control = new AbortController();
  const sending: Sending[] = [];
  const sent: number[] = [];
  const troubles: CliFailure[] = [];
  const onTrouble = (trouble: CliFailure) => void troubles.push(trouble);
  const ended = uploadParts(
    {
      parts: Array.from({ length: files }, (_, at) => partsOf(at, 10 * count, 10)).flat(),
      inFlightBytesMax,
      patience: new Patience({ patienceMs, onTrouble, timers, random: () => 1 }),
      timers,
      onSent: ({ partNumber }) => void sent.push(partNumber),
      send: (part, signal) =>
        new Promise((resolve, reject) => {
          const stop = () => reject(signal.reason as Error);
          signal.addEventListener('abort', stop);
          if (signal.aborted) stop();
          sending.push({ part, arrive: resolve, fail: reject });
        }),
    },
    control.signal,
  );
  const outcome = ended.then(
    () => 'done' as const,
    (error: unknown) => error,
  );
  /** Parts that were sent since the last call. */
  let seen = 0;
  const further = async () => {
    await settle();
    const numbers = sending.slice(seen).map(({ part }) => part.partNumber);
    seen = sending.length;
    return numbers;
  };
  return { timers, control, sending, sent, troubles, outcome, further };
}

test('a file is cut into parts of one size and a rest, without a gap', () => {
  expect(partsOf(2, 25, 10)).toEqual([
    { replicaIndex: 2, partNumber: 1, offset: 0, sizeBytes: 10 },
    { replicaIndex: 2, partNumber: 2, offset: 10, sizeBytes: 10 },
    { replicaIndex: 2, partNumber: 3, offset: 20, sizeBytes: 5 },
  ]);
  expect(partsOf(0, 20, 10)).toHaveLength(2);
  expect(partsOf(0, 1, 10)).toHaveLength(1);
});

test('no other part is sent before the first parts of all files have arrived, so that nothing of a wrong file stays in the import', async () => {
  const { sending, sent, outcome, further } = upload({ count: 3, files: 3 });
  expect(await further()).toEqual([1]);
  sending[0]?.arrive();
  expect(await further()).toEqual([1, 1]);
  sending[1]?.arrive();
  expect(await further()).toEqual([]);
  sending[2]?.fail(final);
  expect(await outcome).toBe(final);
  expect(sending).toHaveLength(3);
  expect(sent).toEqual([1, 1]);
});

test('on a quick line more and more parts are under way, as many as fit, and every part is sent once', async () => {
  const { sending, sent, outcome, further } = upload();
  expect(await further()).toEqual([1]);
  sending[0]?.arrive();
  expect(await further()).toEqual([2, 3]);
  sending[2]?.arrive();
  expect(await further()).toEqual([4, 5]);
  sending[1]?.arrive();
  expect(await further()).toEqual([6]);
  for (let at = 3; at < 10; at += 1) {
    sending[at]?.arrive();
    await settle();
  }
  expect(await outcome).toBe('done');
  expect([...sent].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('on a slow line one part is under way', async () => {
  const { timers, sending, further } = upload();
  sending[0]?.arrive();
  expect(await further()).toEqual([1, 2, 3]);
  await timers.advance(31_000);
  sending[1]?.arrive();
  expect(await further()).toEqual([]);
  sending[2]?.arrive();
  expect(await further()).toEqual([4]);
});

test('after a failure fewer parts are under way', async () => {
  const { timers, sending, further } = upload();
  sending[0]?.arrive();
  expect(await further()).toEqual([1, 2, 3]);
  sending[1]?.fail(passing);
  await timers.advance(20_000);
  expect(await further()).toEqual([2]);
  sending[2]?.arrive();
  expect(await further()).toEqual([]);
  sending[3]?.arrive();
  expect(await further()).toEqual([4]);
});

test('no more than four are under way, however small they are', async () => {
  const { sending, further } = upload({ count: 30, inFlightBytesMax: 1_000 });
  for (let at = 0; at < 10; at += 1) {
    await further();
    sending[at]?.arrive();
  }
  await further();
  expect(sending).toHaveLength(14);
});

test('a part that is larger than the bytes in flight is sent alone', async () => {
  const { sending, further } = upload({ inFlightBytesMax: 1 });
  sending[0]?.arrive();
  expect(await further()).toEqual([1, 2]);
});

test('an upload of nothing is done', async () => {
  expect(await upload({ count: 0 }).outcome).toBe('done');
});

test('a part that the service cannot take now is sent again after growing waits', async () => {
  const { timers, sending, troubles, outcome } = upload({ count: 1 });
  for (const [failures, waitMs] of [1_000, 2_000, 4_000].entries()) {
    expect(troubles).toEqual([]);
    sending[failures]?.fail(passing);
    await timers.advance(waitMs - 1);
    expect(sending).toHaveLength(failures + 1);
    await timers.advance(1);
  }
  sending[3]?.arrive();
  expect(await outcome).toBe('done');
  expect(troubles).toEqual([passing]);
});

test('the wait is as long as the service asks for', async () => {
  const { timers, sending, outcome } = upload({ count: 1 });
  sending[0]?.fail(passing.withRetryAfter(7_000));
  await timers.advance(6_999);
  expect(sending).toHaveLength(1);
  await timers.advance(1);
  sending[1]?.arrive();
  expect(await outcome).toBe('done');
});

test('an outage is waited for, but not for ever: the time begins anew with each part that arrives', async () => {
  const { timers, sending, outcome } = upload({ count: 2, patienceMs: 10_000 });
  await timers.advance(9_000);
  sending[0]?.arrive();
  await timers.advance(8_000);
  sending[1]?.fail(passing);
  await timers.advance(1_000);
  expect(sending).toHaveLength(3);
  sending[2]?.fail(passing);
  expect(await outcome).toBe(passing);
});

test('without patience the first failure ends it', async () => {
  const { sending, outcome } = upload({ patienceMs: 0 });
  sending[0]?.fail(passing);
  expect(await outcome).toBe(passing);
});

test('a refusal ends the parts that are under way, and no further one is sent', async () => {
  const { timers, sending, troubles, outcome, further } = upload();
  sending[0]?.arrive();
  await further();
  sending[2]?.fail(final);
  expect(await outcome).toBe(final);
  await timers.advance(60_000);
  expect(sending).toHaveLength(3);
  expect(troubles).toEqual([]);
});

test('an interruption ends it at once, also between two attempts', async () => {
  const { timers, control, sending, outcome, further } = upload();
  sending[0]?.arrive();
  await further();
  sending[1]?.fail(passing);
  await timers.advance(10);
  const interrupted = failure(ExitCode.Interrupted);
  control.abort(interrupted);
  expect(await outcome).toBe(interrupted);
  expect(timers.pending).toBe(0);
  expect(sending).toHaveLength(3);
});
