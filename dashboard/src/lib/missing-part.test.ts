import { expect, test } from '@jest/globals';
import { MissingPart, wholePart } from './missing-part.ts';

test('a page that cannot be loaded is told in words for people', async () => {
  const cause = new TypeError('Failed to fetch dynamically imported module: http://x/assets/a.js');
  const load = wholePart(() => Promise.reject(cause));
  const error = await load().catch((error: unknown) => error);
  expect(error).toBeInstanceOf(MissingPart);
  expect(error).toMatchObject({ cause, message: expect.stringContaining('Try again') });
});

test('a page is what was loaded, and nothing comes while everything is loaded anew', async () => {
  expect(await wholePart(async () => ({ Keys: 1 }))()).toEqual({ Keys: 1 });
  const never = wholePart(async () => undefined)();
  expect(await Promise.race([never, Promise.resolve('waits')])).toBe('waits');
});
