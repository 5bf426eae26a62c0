import { expect, test } from '@jest/globals';
import { rememberedMs } from '../auth/authenticator.ts';
import { streamCheckMs } from './streams.ts';

/** A check may just miss a revocation, and the next one may get the key from the memory of its process. */
test('a revoked key ends its streams within 30 seconds, also if another process revoked it', () => {
  const worstMs = streamCheckMs + rememberedMs;
  expect(worstMs).toBeLessThan(30_000 - 2_000);
});
