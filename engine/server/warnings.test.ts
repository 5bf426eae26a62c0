import { expect, test } from '@jest/globals';
import { StateMachine } from '../ledger/state-machine.ts';
import { fullBatch } from '../replica/served-replica.ts';
import { Operation } from '../wire/operations.ts';
import { shortageOf, warningsOf } from './warnings.ts';

const well = {
  halted: false,
  clockDisagrees: false,
  damagedBytes: 0,
  logFull: false,
  shortage: undefined,
  memory: { usedBytes: 1, limitBytes: 100 },
  storage: { usedBytes: 1, limitBytes: 100 },
};

test('records that can no longer be numbered are not told as memory at its limit', () => {
  const ledger = new StateMachine({ memoryLimitBytes: 2 ** 60 });
  const ahead = { accounts: 0, transfers: 2 ** 31 };
  const shortage = ledger.shortage(Operation.createTransfersUnbatched, fullBatch, ahead);
  expect(warningsOf({ ...well, shortage })).toEqual(['RecordsAtLimit']);
  expect(ledger.admits(Operation.createTransfersUnbatched, fullBatch, ahead)).toBe(false);
});

test('memory that the largest request could pass is told as memory at its limit', () => {
  const ledger = new StateMachine({ memoryLimitBytes: 2 ** 20 });
  expect(warningsOf({ ...well, shortage: shortageOf(ledger) })).toEqual(['MemoryAtLimit']);
  const roomy = new StateMachine({ memoryLimitBytes: 2 ** 30 });
  expect(warningsOf({ ...well, shortage: shortageOf(roomy) })).toEqual([]);
});

test('damage that could not be mended is a warning', () => {
  expect(warningsOf({ ...well, damagedBytes: 4096 })).toEqual(['DataDamaged']);
});

test('a warning comes before a limit is reached', () => {
  const near = { usedBytes: 90, limitBytes: 100 };
  expect(warningsOf({ ...well, memory: near, storage: near })).toEqual([
    'StorageNearLimit',
    'MemoryNearLimit',
  ]);
  expect(warningsOf({ ...well, logFull: true, storage: near })).toEqual(['StorageFull']);
});
