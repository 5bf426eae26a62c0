import { expect, test } from '@jest/globals';
import { isSubscribable, isSubscribed } from './subscriptions.ts';

test.each([
  ['*', true],
  ['database.*', true],
  ['database.ready', true],
  ['database.redy', false],
  ['databases.*', false],
  ['*.ready', false],
  // Events that stay in the audit log.
  ['session.*', false],
  ['access.denied', false],
  ['toString', false],
])('%s can be subscribed to: %s', (pattern, is) => {
  expect(isSubscribable(pattern)).toBe(is);
});

test.each([
  [['*'], 'database.ready', true],
  [['database.*'], 'database.ready', true],
  [['database.*'], 'job.failed', false],
  [['job.failed', 'database.ready'], 'database.ready', true],
  [['data.*'], 'database.ready', false],
  [['*'], 'session.opened', false],
])('%j gets %s: %s', (patterns, type, is) => {
  expect(isSubscribed(patterns, type)).toBe(is);
});
