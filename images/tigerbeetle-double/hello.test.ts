import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodeHello, parseHello } from './hello.ts';

test('a hello is read as it was written, and anything else is none', () => {
  const count = fc.maxSafeNat();
  const hello = fc.record({
    clusterId: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
    replicaIndex: count,
    replicaCount: count,
    status: count,
    view: count,
    commit: count,
    release: count,
    bundled: count,
  });
  fc.assert(
    fc.property(hello, (said) => {
      expect(parseHello(encodeHello(said).trim())).toEqual(said);
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
      expect(parseHello(line)).toBeUndefined();
    }),
  );
});
