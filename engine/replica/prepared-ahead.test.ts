/**
 * Operations that wait for rows on the volume are prepared together, in turns, and again and again, while others are executed, rows leave
 * memory, and the index is sealed and merged. What comes of them is what a ledger that holds everything makes of them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PAGE_BYTES } from '../ledger/page.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { DataFile } from '../log/data-file.ts';
import { createEmpty } from '../log/format-file.ts';
import { MemoryStorage } from '../log/testing/memory-storage.ts';
import { dice, operationOf, timestampOf } from '../log/testing/random-history.ts';
import { PATH, RELEASE } from '../log/testing/replica.ts';
import { ExecutionQueue } from './execution-queue.ts';

const OPTIONS = {
  memoryLimitBytes: 2 ** 30,
  rowsLeaveAtBytes: 0,
  rowsShift: 2,
  accountsShift: 5,
  accountsStayBytes: 0,
  liveAccountsMax: 3,
  pageCacheBytes: PAGE_BYTES,
  indexSizes: { sealRows: 8, chunkRows: 4, pageBytes: 4096 },
  hashKey: { low: 3, high: 5 },
};
const OPS = 60;

test('operations that are prepared ahead of their turn do what they do in a ledger that holds everything', async () => {
  let read = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(10_000), async (seed) => {
      const random = dice(seed + 1);
      const storage = new MemoryStorage();
      const identity = { clusterId: 7n, replicaIndex: 0, replicaCount: 3 };
      const of = { path: PATH, release: RELEASE, storage };
      await createEmpty({ ...of, identity, logSizeBytes: 1 << 16 });
      const onFailure = (error: unknown): never => {
        throw error;
      };
      const file = await DataFile.open({ ...of, onFailure });
      const machine = new StateMachine(OPTIONS);
      await file.load(machine);
      file.beginCheckpoints({ ring: undefined, pause: () => Promise.resolve() });
      const whole = new StateMachine({ memoryLimitBytes: 2 ** 30 });
      const queue = new ExecutionQueue({
        bring: async ({ pages, arrived }) => {
          for (let turns = random(6); turns > 0; turns -= 1) await nextTurn();
          await file.pages.read(pages, arrived);
        },
        onFailure,
      });
      let executed = 0;
      const replies: string[] = [];
      const checkpoint = async (): Promise<void> => {
        const place = { incarnation: 1, sequence: 1, fence: 1, seal: new Uint8Array(16) };
        const at = { op: executed, timestamp: timestampOf(executed), view: 0, place };
        await file.checkpoint(machine, { ...at, stateHash: machine.stateHash() });
      };
      for (let op = 1; op <= OPS; op += 1) {
        const operation = operationOf({ seed, partsAt: Infinity }, op);
        queue.push({
          prepare: () => machine.prepare(...operation),
          run: () => {
            executed = op;
            replies.push(Buffer.from(machine.commit(...operation)).toString('base64'));
          },
        });
        if (random(3) === 0) await nextTurn();
        if (random(6) === 0) await checkpoint();
        if (queue.size > 10) await queue.idle();
      }
      await queue.idle();
      expect(executed).toBe(OPS);
      for (const [i, reply] of replies.entries()) {
        const operation = operationOf({ seed, partsAt: Infinity }, i + 1);
        expect(reply).toBe(Buffer.from(whole.commit(...operation)).toString('base64'));
      }
      expect(machine.counts()).toEqual(whole.counts());
      expect(machine.stateHash()).toEqual(whole.stateHash());
      read += machine.pages().read;
      await file.close();
    }),
    { numRuns: 25, examples: [[4], [5]] },
  );
  expect(read).toBeGreaterThan(100);
});
