import { expect, test } from '@jest/globals';
import { filterOf } from './filter.ts';
import { readDeliverySearch } from './search.ts';

const now = new Date('2026-11-22T12:00:00Z');
const asked = (search: Record<string, unknown>) => filterOf(readDeliverySearch(search), now);

test('an ID asks for a delivery or for an event, by its first letters', () => {
  const rest = '0'.repeat(26);
  expect(asked({ id: `dlv_${rest}` })).toEqual({ deliveryId: `dlv_${rest}` });
  expect(asked({ id: `evt_${rest}` })).toEqual({ eventId: `evt_${rest}` });
  expect(asked({ id: `whe_${rest}` })).toEqual({});
});

test('times are of now when they are asked for, and what is no time bounds nothing', () => {
  expect(asked({ from: '-1h', to: 'noon' })).toEqual({ createdAfter: '2026-11-22T11:00:00.000Z' });
});

test.each([['503'], ['5xx'], ['none']])('the answer %s is asked for', (answer) => {
  expect(asked({ answer })).toEqual({ answer });
});

test.each([['5x'], ['0xx'], ['5033'], ['']])('%j is no answer, and asks for all', (answer) => {
  expect(asked({ answer })).toEqual({});
});
