import { expect, test } from '@jest/globals';
import { boundsOf, readLogSearch } from './search.ts';

const now = new Date('2026-11-23T12:00:00Z');

test('a span begins before now and has no end', () => {
  expect(boundsOf({}, now)).toEqual({ since: '2026-11-22T12:00:00.000Z' });
  expect(boundsOf({ span: '15m' }, now)).toEqual({ since: '2026-11-23T11:45:00.000Z' });
});

test('times that were typed take the place of the span, each alone too', () => {
  expect(boundsOf({ span: '1h', from: '2026-11-20', to: '-2h' }, now)).toEqual({
    since: '2026-11-20T00:00:00.000Z',
    until: '2026-11-23T10:00:00.000Z',
  });
  expect(boundsOf({ to: '2026-11-20 08:30' }, now)).toEqual({ until: '2026-11-20T08:30:00.000Z' });
  expect(boundsOf({ from: 'yesterday' }, now)).toEqual({});
});

test('an address keeps what is known and drops the rest', () => {
  const typed = { from: '-1h', to: '', span: '2h', severity: 'WARN', page: '7' };
  expect(readLogSearch(typed)).toEqual({ from: '-1h', severity: 'WARN' });
});
