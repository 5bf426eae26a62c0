import { expect, test } from '@jest/globals';
import { stepsOf, timesOf } from './selection.ts';

const minuteMs = 60_000;
const axis = { fromMs: Date.UTC(2026, 10, 22, 12), stepMs: minuteMs, count: 60 };
const middle = (minute: number) => axis.fromMs + (minute + 0.5) * minuteMs;
const select = (anchor: number, head: number) =>
  stepsOf(axis, { title: '', anchorMs: middle(anchor), headMs: middle(head), isDragged: true });

test('the marked steps are whole, in whichever direction they were marked', () => {
  expect(select(10, 19)).toEqual({ begin: 10, end: 20 });
  expect(select(19, 10)).toEqual({ begin: 10, end: 20 });
  expect(timesOf(axis, { begin: 10, end: 20 })).toEqual({
    fromMs: Date.UTC(2026, 10, 22, 12, 10),
    toMs: Date.UTC(2026, 10, 22, 12, 20),
  });
});

test('one step is a click, and what has left the axis marks nothing', () => {
  expect(select(10, 10)).toBeUndefined();
  expect(select(-1, 10)).toBeUndefined();
  expect(select(10, 60)).toBeUndefined();
});
