import { expect, test } from '@jest/globals';
import {
  importFileBytesMax,
  importPartBytesMax,
  importPartsMax,
  partBytes,
  partCount,
  partSizeFor,
} from './import.ts';

test('the parts of a file are all its bytes, and no more of them than the store takes', () => {
  for (const size of [
    1,
    8_388_608,
    8_388_609,
    83_886_080_000,
    83_886_080_001,
    importFileBytesMax,
  ]) {
    const part = partSizeFor(size);
    const count = partCount(size, part);
    expect(count).toBeLessThanOrEqual(importPartsMax);
    expect(part).toBeLessThanOrEqual(importPartBytesMax);
    expect((count - 1) * part + partBytes(size, part, count)).toBe(size);
    expect(partBytes(size, part, count)).toBeGreaterThan(0);
    expect(partBytes(size, part, count + 1)).toBe(0);
    if (count > 1) expect(partBytes(size, part, 1)).toBe(part);
  }
});
