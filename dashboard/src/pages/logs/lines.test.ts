import { expect, test } from '@jest/globals';
import type { LogLine } from '../../../../gen/api.ts';
import { attributesText, inOrder, placeOf } from './lines.ts';

const line = (id: string, second: number, more: Partial<LogLine> = {}): LogLine => ({
  id,
  timestamp: `2026-11-23T08:00:0${second}.000Z`,
  severity: 'INFO',
  component: 'engine',
  node: 0,
  message: '',
  attributes: {},
  ...more,
});

test('each line once, by time and then by the order in which it was kept', () => {
  const lines = [line('9', 2), line('10', 2), line('8', 3), line('10', 2), line('11', 1)];
  expect(inOrder(lines).map(({ id }) => id)).toEqual(['8', '10', '9', '11']);
});

test('place and attributes in words', () => {
  expect(placeOf(line('1', 0))).toBe('engine, node 0');
  expect(placeOf(line('1', 0, { component: 'backup', node: null }))).toBe('backup');
  expect(attributesText(line('1', 0, { attributes: { role: 'leader', error: { code: 1 } } }))).toBe(
    'role=leader error={"code":1}',
  );
});
