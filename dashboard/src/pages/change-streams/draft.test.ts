import { expect, test } from '@jest/globals';
import type { ChangeStream } from '../../../../gen/api.ts';
import { changesOf, draftOf, newStream, startOf } from './draft.ts';

const now = new Date('2026-11-23T12:00:00Z');
const url = 'https://hooks.example.com/ledger';
const stream = { sink: { type: 'WEBHOOK', url }, description: 'books' } as ChangeStream;

test.each<[string, string | undefined]>([
  ['2026-11-23T11:00:00Z', '1795431600000000000'],
  ['-1h', '1795431600000000000'],
  ['1795431600000000001', '1795431600000000001'],
  ['yesterday', undefined],
  ['', undefined],
])('“%s” as the time after which a stream begins is %p', (time, after) => {
  expect(startOf({ ...draftOf(undefined), start: 'time', time }, now)).toBe(after);
});

test('without a time it begins now, or with the first event', () => {
  const draft = draftOf(undefined);
  expect(startOf(draft, now)).toBe('now');
  expect(startOf({ ...draft, start: 'beginning', time: 'left over' }, now)).toBe('beginning');
  expect(newStream({ ...draft, url: ` ${url} ` }, 'now')).toEqual({
    sink: { type: 'WEBHOOK', url },
    description: '',
    after: 'now',
  });
});

test('only what is different is sent', () => {
  const draft = draftOf(stream);
  expect(changesOf(draft, stream)).toEqual({});
  expect(changesOf({ ...draft, description: '' }, stream)).toEqual({ description: '' });
  expect(changesOf({ ...draft, url: 'https://other.example.com/' }, stream)).toEqual({
    sink: { type: 'WEBHOOK', url: 'https://other.example.com/' },
  });
});
