import { expect, test } from '@jest/globals';
import type { DatabaseStatus } from '../../domain/custom-resources.ts';
import { changeDataCapture } from './change-data-capture.ts';
import type { Observation } from './observation.ts';

type Told = NonNullable<DatabaseStatus['changeDataCapture']>;

const observedAt = '2026-11-26T10:00:00Z';
const fine: Told = {
  streams: 2,
  running: 2,
  failing: 0,
  failed: 0,
  paused: 0,
  lagSeconds: 0,
  observedAt,
};

function verdict(
  told: Told | undefined,
  { minutes = 1, spec = {} }: { readonly minutes?: number; readonly spec?: object } = {},
) {
  const [status, reason, message] = changeDataCapture({
    nowMs: Date.parse(observedAt) + minutes * 60_000,
    database: { spec: { suspend: false, ...spec }, status: { changeDataCapture: told } },
  } as unknown as Observation);
  return { said: `${status} ${reason}`, message };
}

test.each<[string, Told | undefined, string]>([
  ['a database without streams is neither well nor ill', undefined, 'Unknown NoStreams'],
  [
    'nor one whose last stream was deleted',
    { ...fine, streams: 0, running: 0 },
    'Unknown NoStreams',
  ],
  ['streams that deliver are well', fine, 'True Healthy'],
  ['also beside a paused one', { ...fine, running: 1, paused: 1 }, 'True Healthy'],
  ['all paused by people is no trouble', { ...fine, running: 0, paused: 2 }, 'Unknown AllPaused'],
  ['a minute behind is not late', { ...fine, lagSeconds: 60 }, 'True Healthy'],
  ['more is', { ...fine, lagSeconds: 61 }, 'False Lagging'],
  [
    'a stream that is tried again is told',
    { ...fine, failing: 1, lagSeconds: 90 },
    'False Failing',
  ],
  ['one that stopped comes first', { ...fine, failing: 1, failed: 1 }, 'False Failed'],
])('%s', (_, told, said) => {
  expect(verdict(told).said).toBe(said);
});

test('an unknown state is not called healthy', () => {
  const { lagSeconds: _, ...unread } = fine;
  expect(verdict(unread).said).toBe('Unknown NotKnown');
  expect(verdict(fine, { minutes: 20 }).said).toBe('True Healthy');
  expect(verdict(fine, { minutes: 21 }).said).toBe('Unknown NotKnown');
});

test('streams that are to stand still are no trouble, whatever they were', () => {
  const ill = { ...fine, failed: 1 };
  expect(verdict(ill, { spec: { changeDataCapture: { suspend: true } } }).said).toBe(
    'Unknown Suspended',
  );
  expect(verdict(ill, { spec: { suspend: true } }).said).toBe('Unknown Suspended');
  expect(verdict(ill, { spec: { changeDataCapture: { suspend: false } } }).said).toBe(
    'False Failed',
  );
});

test('the message has the failure of a stream', () => {
  const error = 'CONNECTION_ERROR: refused';
  expect(verdict({ ...fine, failed: 1, error }).message).toContain(error);
});
