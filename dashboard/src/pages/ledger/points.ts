/** The line of a balance over time, as a path in a box of 1,000 by 1,000. */
import type { Statement } from './statement.ts';

interface Line {
  /** An SVG path of steps. */
  readonly path: string;
  /** Height of 0, from above; `undefined`: outside of the box. */
  readonly zero: bigint | undefined;
  readonly least: bigint;
  readonly most: bigint;
}

const size = 1_000n;
/** Most steps of a path: the first and last of each column of the box are enough to see. */
const columns = 500n;

const part = (value: bigint, whole: bigint): bigint =>
  whole === 0n ? size / 2n : (value * size) / whole;

/** `undefined` without rows. Debits are above, credits below. */
export function lineOf({ opening, rows }: Pick<Statement, 'opening' | 'rows'>): Line | undefined {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const begin = BigInt(first.transfer.timestamp);
  const span = BigInt(last.transfer.timestamp) - begin;
  let least = opening;
  let most = opening;
  for (const { balance } of rows) {
    if (balance < least) least = balance;
    if (balance > most) most = balance;
  }
  const height = most - least;
  const y = (balance: bigint) => part(most - balance, height);
  let path = `M0 ${y(opening)}`;
  let column = -1n;
  for (const [index, { transfer, balance }] of rows.entries()) {
    const since = BigInt(transfer.timestamp) - begin;
    const at = span === 0n ? 0n : (since * columns) / span;
    if (at === column && index < rows.length - 1) continue;
    column = at;
    path += `H${part(since, span)}V${y(balance)}`;
  }
  const isZeroIn = least <= 0n && most >= 0n && height > 0n;
  return { path: `${path}H1000`, zero: isZeroIn ? y(0n) : undefined, least, most };
}
