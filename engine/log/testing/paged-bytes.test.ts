import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { frozen, PagedBytes } from './paged-bytes.ts';

const END = 70_000;
const write = fc.record({
  file: fc.nat(3),
  offset: fc.nat(END),
  size: fc.oneof(fc.nat(600), fc.nat(40_000)),
  fill: fc.nat(2),
});

test('files and their copies hold what was written to each of them, and nothing that was written to another', () => {
  const property = fc.property(fc.array(write, { maxLength: 30 }), (writes) => {
    const files = [{ paged: new PagedBytes(), plain: Buffer.alloc(0) }];
    for (const { file, offset, size, fill } of writes) {
      const written = files[file % files.length]!;
      const { paged, plain } = written;
      if (files.length < 4) files.push({ paged: paged.copy(), plain });
      const bytes = Buffer.alloc(size, fill);
      paged.put(frozen(bytes), offset);
      // Whoever writes uses the memory again.
      bytes.fill(9);
      const grown = Buffer.alloc(Math.max(plain.length, offset + size));
      plain.copy(grown);
      grown.fill(fill, offset, offset + size);
      written.plain = grown;
    }
    for (const { paged, plain } of files) {
      const read = Buffer.alloc(plain.length + 10);
      expect(paged.read(read, 0)).toBe(plain.length);
      expect(Buffer.compare(read.subarray(0, plain.length), plain)).toBe(0);
      expect(paged.read(read, END * 2)).toBe(0);
    }
  });
  fc.assert(property, { numRuns: 100, seed: 1 });
});
