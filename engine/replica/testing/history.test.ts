import { expect, test } from '@jest/globals';
import { History } from './history.ts';

const histories: readonly (readonly [string, (history: History) => void])[] = [
  [
    'a read that misses what was acknowledged before it was sent',
    (history) => {
      history.beginWrite();
      history.written(3, 10n, true);
      history.read(history.beginRead(), 0);
    },
  ],
  [
    'a read that misses what an earlier one saw',
    (history) => {
      history.beginWrite();
      history.read(history.beginRead(), 1);
      history.read(history.beginRead(), 0);
    },
  ],
  ['a read that sees what nobody wrote', (history) => history.read(history.beginRead(), 1)],
  ['a write that was executed twice', (history) => history.written(3, 10n, false)],
  ['a timestamp ahead of the true time', (history) => history.told(3_000_000_000n, 2000)],
  [
    'two writes at one op',
    (history) => {
      history.written(3, 10n, true);
      history.written(3, 11n, true);
    },
  ],
  [
    'two states at one op',
    (history) => {
      history.state(3, 'a');
      history.state(3, 'b');
    },
  ],
  [
    'timestamps that do not rise',
    (history) => {
      for (const [op, timestamp] of [
        [3, 10n],
        [4, 9n],
      ] as const) {
        history.beginWrite();
        history.written(op, timestamp, true);
      }
      history.finished(2);
    },
  ],
  [
    'an acknowledged write that is lost',
    (history) => {
      history.beginWrite();
      history.written(3, 10n, true);
      history.finished(0);
    },
  ],
];

test.each(histories)('noticed: %s', (_what, happen) => {
  const history = new History();
  happen(history);
  expect(history.violation).toBeDefined();
});

test('a read may miss writes that were acknowledged after it was sent', () => {
  const history = new History();
  const begun = history.beginRead();
  history.beginWrite();
  history.written(3, 10n, true);
  history.read(begun, 0);
  history.finished(1);
  expect(history.violation).toBeUndefined();
});
