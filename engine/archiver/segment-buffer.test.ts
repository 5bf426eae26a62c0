import { expect, test } from '@jest/globals';
import { NO_SEGMENT, SEGMENT_BYTES_MAX, sealSegment } from '../archive/log-segment.ts';
import { DATABASE } from '../archive/testing/ledger-file.ts';
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

test('what a restore would refuse for its size is not made a segment', async () => {
  const content = new SegmentBuffer();
  const message = new Uint8Array(SEGMENT_BYTES_MAX / 16);
  const entries = Array.from({ length: 16 }, (_, index) => ({
    op: index + 1,
    timestamp: BigInt(index + 1),
    view: 1,
    message,
  }));
  content.add(entries, []);
  const begin = { databaseId: DATABASE, line: 1, previous: NO_SEGMENT };
  const sealed = content.take((plain) => sealSegment(begin, plain));
  await expect(sealed).rejects.toThrow('a segment is one that a restore takes');
});
