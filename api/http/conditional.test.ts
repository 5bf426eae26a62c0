import { expect, test } from '@jest/globals';
import { checkMatch, etagOf, isKnown, settingsTag } from './conditional.ts';

const etag = etagOf('db_1', 7);

test.each(['W/"db_1-7"', '"db_1-7"', '*', '"x", W/"db_1-7"'])('%s is this version', (tag) => {
  expect(isKnown(tag, etag)).toBe(true);
  expect(() => checkMatch(tag, etag)).not.toThrow();
});

test.each(['W/"db_1-8"', 'db_1-7', '""', 'W/"db_1-77"'])('%s is another', (tag) => {
  expect(isKnown(tag, etag)).toBe(false);
  expect(() => checkMatch(tag, etag)).toThrow('precondition_failed');
});

test('nothing sent means nothing known and nothing guarded', () => {
  expect(isKnown(undefined, etag)).toBe(false);
  expect(() => checkMatch(undefined, etag)).not.toThrow();
});

test('the tag of settings is theirs, in whatever order they are named', () => {
  const tag = settingsTag('org_1', { name: 'Acme', days: 90 });
  expect(settingsTag('org_1', { days: 90, name: 'Acme' })).toBe(tag);
  expect(settingsTag('org_1', { days: 91, name: 'Acme' })).not.toBe(tag);
  expect(settingsTag('org_2', { days: 90, name: 'Acme' })).not.toBe(tag);
});
