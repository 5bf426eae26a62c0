import { expect, test } from '@jest/globals';
import { orElse } from './or-else.ts';

test('a part that cannot be loaded takes nothing else from the page: a simpler one stands in its place', async () => {
  expect(await orElse(async () => 'menu', 'link')).toBe('menu');
  const lost = async (): Promise<string> => {
    throw new TypeError('Failed to fetch dynamically imported module');
  };
  expect(await orElse(lost, 'link')).toBe('link');
});
