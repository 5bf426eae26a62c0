import { expect, test } from '@jest/globals';
import { encodeEntries, entrySize } from '../log/entries.ts';
import { SegmentBuffer } from './segment-buffer.ts';

test('thousands of small blocks are not copied with each one that is added', () => {
  const content = new SegmentBuffer();
  const message = new Uint8Array(4_000);
  const size = entrySize(message);
  const memories = new Set<ArrayBufferLike>();
  for (let op = 1; op <= 2_000; op += 1) {
    const room = content.room(size);
    memories.add(room.buffer);
    encodeEntries(room, 0, [{ op, timestamp: BigInt(op), view: 1, message }]);
    content.addFilled(size, 1, op - 1);
  }
  expect(content.bytes).toBe(2_000 * size);
  expect(memories.size).toBeLessThan(10);
});
