import { beforeAll, expect, test } from '@jest/globals';
import { DataFileError } from './errors.ts';
import { inspectDataFile } from './inspect.ts';
import { LOG_OFFSET } from './layout.ts';
import { MemoryStorage } from './testing/memory-storage.ts';
import { createToyFile, messageOf, PATH, ToyReplica } from './testing/replica.ts';

const LOG_SIZE = 24 << 10;
let whole: Uint8Array;
let digest: string;

/**
 * A cleanly closed file with three checkpoints, some of them deltas, two groups after the last one, and a ring that has
 * wrapped.
 */
beforeAll(async () => {
  const disk = new MemoryStorage();
  await createToyFile(disk, LOG_SIZE);
  const replica = await ToyReplica.start(disk);
  for (let op = 1; op <= 11; op += 1) {
    await replica.append(messageOf(op, op === 11 ? 4200 : 200));
    if (op === 3 || op === 6 || op === 9) await replica.checkpoint();
  }
  await replica.log.close();
  whole = disk.bytes(PATH);
  digest = replica.state.digest();
});

/**
 * Starts on these bytes. Returns 'unaffected' if the state is whole, or the refusal's code. Anything else is lost or
 * invented data.
 */
async function startOn(bytes: Uint8Array): Promise<string> {
  const disk = MemoryStorage.of(PATH, bytes);
  try {
    const replica = await ToyReplica.start(disk);
    expect(replica.state.digest()).toBe(digest);
    await replica.log.close();
    return 'unaffected';
  } catch (error) {
    if (!(error instanceof DataFileError)) throw error;
    return error.code;
  }
}

test('a flipped bit anywhere in the file is refused or does not matter', async () => {
  const outcomes = new Map<string, number>();
  for (let at = 0; at < whole.length; at += 1) {
    // Zeros are padding or unused space nearly everywhere: one in sixteen of them.
    if (whole[at] === 0 && at % 16 !== 0) continue;
    const bytes = whole.slice();
    bytes[at]! ^= 1 << (at % 8);
    const outcome = await startOn(bytes);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  expect([...outcomes.keys()].sort()).toEqual(['checkpoint_corrupt', 'log_corrupt', 'unaffected']);
});

test('a file that was cut anywhere is refused, or only its padding is missing', async () => {
  const outcomes = new Set<string>();
  for (let length = 0; length < whole.length; length += 97) {
    outcomes.add(await startOn(whole.subarray(0, length)));
  }
  expect(outcomes).toContain('not_a_data_file');
  expect(outcomes).toContain('checkpoint_corrupt');
  expect(await startOn(whole)).toBe('unaffected');
});

test('inspect finds every damage that a start refuses', async () => {
  for (let at = 0; at < whole.length; at += 211) {
    const bytes = whole.slice();
    bytes[at]! ^= 0x10;
    const outcome = await startOn(bytes);
    const inspection = await inspectDataFile(PATH, MemoryStorage.of(PATH, bytes));
    expect(inspection).toMatchObject({ kind: 'ledgerhouse' });
    if (inspection.kind === 'ledgerhouse') {
      expect(inspection.errors.map(({ code }) => code)).toEqual(
        outcome === 'unaffected' ? [] : [outcome],
      );
    }
  }
});

test('the last group, damaged after it was durable, is refused and not taken for a torn write', async () => {
  const bytes = whole.slice();
  const last = lastGroupOffset(bytes);
  bytes[last + 600]! ^= 1;
  expect(await startOn(bytes)).toBe('log_corrupt');
});

test('superblocks that are all damaged are refused, any one that is whole is enough', async () => {
  for (let kept = 0; kept < 4; kept += 1) {
    const bytes = whole.slice();
    for (let copy = 0; copy < 4; copy += 1) if (copy !== kept) bytes[copy * 4096 + 50]! ^= 1;
    expect(await startOn(bytes)).toBe('unaffected');
  }
  const bytes = whole.slice();
  for (let copy = 0; copy < 4; copy += 1) bytes[copy * 4096 + 50]! ^= 1;
  expect(await startOn(bytes)).toBe('superblock_corrupt');
});

test('a log of an older time put under a newer superblock is refused', async () => {
  const bytes = whole.slice();
  bytes.fill(0, LOG_OFFSET, LOG_OFFSET + LOG_SIZE);
  expect(await startOn(bytes)).toBe('log_corrupt');
});

/** Returns the offset of the group with the largest message, the only group of two blocks. */
function lastGroupOffset(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer);
  for (let at = LOG_OFFSET; at < LOG_OFFSET + LOG_SIZE; at += 4096) {
    if (view.getUint32(at, true) === 0x5052_474c && view.getUint32(at + 76, true) > 4096) return at;
  }
  throw new Error('no such group');
}
