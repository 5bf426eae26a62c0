/** Bodies of requests for the benchmarks of the ledger route. */

export const accountCount = 1_000;

export const bodyOf = (payload: unknown): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(payload));

/** Ids rise with time and are random in their low half, as the official clients make them. */
let lastId = BigInt(Date.now()) << 80n;

export function transferBodies(size: number): () => Uint8Array {
  return () =>
    bodyOf(
      Array.from({ length: size }, () => {
        lastId += 1n + BigInt(Math.floor(Math.random() * 2 ** 40));
        const debit = Math.floor(Math.random() * accountCount);
        const credit = (debit + 1 + Math.floor(Math.random() * (accountCount - 1))) % accountCount;
        return {
          id: String(lastId),
          debit_account_id: String(debit + 1),
          credit_account_id: String(credit + 1),
          amount: String(1 + Math.floor(Math.random() * 100_000)),
          ledger: 1,
          code: 1,
          user_data_64: '1234567890123',
        };
      }),
    );
}

/** The reference for the codec: exact too, with the platform's parser. */
export function reviverRows(body: Uint8Array): Uint8Array {
  const keepDigits = (_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' ? source : value;
  const events = JSON.parse(
    new TextDecoder().decode(body),
    keepDigits as (key: string, value: unknown) => unknown,
  ) as Readonly<Record<string, string>>[];
  const view = new DataView(new ArrayBuffer(events.length * 128));
  events.forEach((event, i) => {
    wide.forEach((name, at) => {
      const value = BigInt(event[name] ?? 0);
      view.setBigUint64(i * 128 + at * 16, BigInt.asUintN(64, value), true);
      view.setBigUint64(i * 128 + at * 16 + 8, value >> 64n, true);
    });
    view.setBigUint64(i * 128 + 96, BigInt(event['user_data_64'] ?? 0), true);
    view.setUint32(i * 128 + 112, Number(event['ledger']), true);
    view.setUint16(i * 128 + 116, Number(event['code']), true);
  });
  return new Uint8Array(view.buffer);
}

const wide = [
  'id',
  'debit_account_id',
  'credit_account_id',
  'amount',
  'pending_id',
  'user_data_128',
];
