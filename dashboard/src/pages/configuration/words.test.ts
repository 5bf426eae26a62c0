import { expect, test } from '@jest/globals';
import { diffWords, impactWords, priceWords } from './words.ts';

test('a difference is told from and to', () => {
  expect(
    diffWords([
      { path: '/clusterSize', from: 'lh-5', to: 'lh-10' },
      { path: '/parameters/limitConnections', from: '512', to: null },
      { path: '/autogrow', from: null, to: { limitGb: 100 } },
    ]),
  ).toBe(
    'Size: lh-5 → lh-10, limitConnections: 512 → default, Grows by itself: default → up to 100 GiB',
  );
});

test('archiving is told by its seconds', () => {
  expect(diffWords([{ path: '/continuousArchiving', from: null, to: { rpoSeconds: 5 } }])).toBe(
    'Log archived: no → within 5 s',
  );
});

test('a return to an earlier state is told by its moment, and by what becomes of the streams', () => {
  const streams = {
    path: '/changeDataCapture',
    from: { suspended: false },
    to: { suspended: true },
  };
  const to = { targetTimestamp: '1795372852090008189' };
  expect(diffWords([{ path: '/restoredTo', from: null, to }, streams])).toBe(
    'State of the ledger: as it is → 2026-11-22T18:40:52.090008189Z, Change streams: on → suspended',
  );
});

test('the impact of a change says how long requests wait', () => {
  const impact = { reversible: true, warnings: [] };
  expect(
    impactWords({
      ...impact,
      interruption: 'SECONDS',
      longestWaitSeconds: 20,
      rollingRestart: true,
    }),
  ).toBe('Requests wait 20 s at most. Its pods are replaced one at a time.');
  expect(
    impactWords({
      ...impact,
      interruption: 'MINUTES',
      longestWaitSeconds: 1_800,
      rollingRestart: false,
    }),
  ).toBe('Requests wait 30 minutes at most.');
  expect(
    impactWords({ ...impact, interruption: 'NONE', longestWaitSeconds: 0, rollingRestart: false }),
  ).toBe('Clients notice nothing.');
});

test('a price is told as more or less', () => {
  expect(priceWords({ currency: 'USD', amount: '-10.50' })).toBe('$10.50 a month less.');
  expect(priceWords({ currency: 'USD', amount: '10.50' })).toBe('$10.50 a month more.');
  expect(priceWords({ currency: 'USD', amount: '0.00' })).toBe('The price stays the same.');
  expect(priceWords(null)).toBe('There are no prices here.');
});
