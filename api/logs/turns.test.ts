import { expect, test } from '@jest/globals';
import { settle, VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { Turns } from './turns.ts';

const lengths = { connections: 2, leastMs: 5_000, greatestMs: 60_000 };
const never = new AbortController().signal;

test('while there are connections enough, a turn is long', async () => {
  const timers = new VirtualTimers();
  const turn = await new Turns(lengths, timers).take(never);
  await timers.advance(44_999);
  expect(turn?.isOver()).toBe(false);
  await timers.advance(15_001);
  expect(turn?.isOver()).toBe(true);
});

test('beyond that, who waits longest is next, and a turn is short', async () => {
  const timers = new VirtualTimers();
  const turns = new Turns(lengths, timers);
  const [first, second] = [await turns.take(never), await turns.take(never)];
  const order: string[] = [];
  const gaveUp = new AbortController();
  void turns.take(gaveUp.signal).then((turn) => order.push(turn ? 'x' : 'gave up'));
  void turns.take(never).then(() => order.push('third'));
  void turns.take(never).then(() => order.push('fourth'));
  await timers.advance(5_000);
  expect(first?.isOver()).toBe(true);
  gaveUp.abort();
  first?.end();
  await settle();
  expect(order).toEqual(['gave up', 'third']);
  second?.end();
  await settle();
  expect(order).toEqual(['gave up', 'third', 'fourth']);
});
