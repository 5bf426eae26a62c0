import { expect, test } from '@jest/globals';
import { TransferFlag } from '../../engine/wire/flags.ts';
import { ChangeEvent } from '../../engine/wire/records.ts';
import { transferBytes } from '../../test/support/engine/ledger.ts';
import { seeded } from '../../test/support/prng.ts';
import { dangerOf, pagesMax } from './met-expiry.ts';

const expired = 4;
const posted = 2;
interface Event {
  readonly timestamp: bigint;
  readonly type: number;
}

const imports = (timestamps: readonly bigint[], flags: number = TransferFlag.imported) =>
  transferBytes(
    timestamps.map((timestamp, i) => ({
      id: BigInt(i + 1),
      debit: 1n,
      credit: 2n,
      amount: 1n,
      flags,
      timestamp,
    })),
  );

/** A ledger with these events, in order, which gives pages of `pageMax`. */
function ledger(events: readonly Event[], now: bigint, pageMax = 3) {
  const asked: bigint[] = [];
  return {
    asked,
    read: async (from: bigint, until: bigint) => {
      asked.push(from);
      const page = events
        .filter(({ timestamp }) => timestamp >= from && timestamp <= until)
        .slice(0, pageMax);
      const view = new DataView(new ArrayBuffer(page.length * ChangeEvent.words * 4));
      page.forEach(({ timestamp, type }, row) => {
        const at = row * ChangeEvent.words * 4;
        view.setBigUint64(at + ChangeEvent.timestamp * 4, timestamp, true);
        view.setUint8(at + ChangeEvent.type * 4, type);
      });
      return { rows: new Uint8Array(view.buffer), timestamp: now };
    },
  };
}

test('random imports into random ledgers: accepted transfers meet no expiry, now or later, and all other transfers are accepted', async () => {
  for (let seed = 1; seed <= 400; seed += 1) {
    const random = seeded(seed);
    const below = (max: number) => Math.floor(random() * max);
    const now = 60n;
    const events: Event[] = [];
    for (let timestamp = 1n; timestamp <= now; timestamp += 1n) {
      if (below(3) === 0) events.push({ timestamp, type: below(2) === 0 ? expired : posted });
    }
    const timestamps = Array.from({ length: below(9) }, () => BigInt(below(64)));
    const { read } = ledger(events, now, 1 + below(40));
    const bad = (timestamp: bigint) =>
      timestamp > now ||
      events.some((event) => event.type === expired && event.timestamp === timestamp);
    const danger = await dangerOf(imports(timestamps), read);
    expect({ seed, isFound: danger !== undefined }).toEqual({
      seed,
      isFound: timestamps.some(bad),
    });
    if (danger !== undefined) expect(bad(timestamps[danger.index] ?? 0n)).toBe(true);
  }
});

test('a ledger is not asked for transfers that are not imported, and once for those after all events', async () => {
  const { read, asked } = ledger([{ timestamp: 5n, type: expired }], 50n);
  expect(await dangerOf(imports([0n, 0n], TransferFlag.pending), read)).toBeUndefined();
  expect(asked).toEqual([]);
  expect(await dangerOf(imports([9n, 7n, 8n]), read)).toBeUndefined();
  expect(asked).toEqual([7n]);
});

test('timestamps that no engine accepts need no look', async () => {
  const { read, asked } = ledger([], 50n);
  expect(await dangerOf(imports([0n, 2n ** 63n]), read)).toBeUndefined();
  expect(asked).toEqual([]);
});

test('transfers among too many events are refused; each alone passes', async () => {
  const events = Array.from({ length: 100 }, (_, i) => ({
    timestamp: BigInt(2 * i + 1),
    type: expired,
  }));
  const timestamps = events.map(({ timestamp }) => timestamp + 1n);
  const { read, asked } = ledger(events, 1_000n, 1);
  expect(await dangerOf(imports(timestamps), read)).toMatchObject({
    advice: expect.stringContaining('fewer'),
  });
  expect(asked).toHaveLength(pagesMax);
  for (const timestamp of timestamps)
    expect(await dangerOf(imports([timestamp]), read)).toBeUndefined();
});
