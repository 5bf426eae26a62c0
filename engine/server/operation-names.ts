/** Names of the ledger's operations in metrics, by their codes. The codes of older clients have the name of the same operation. */
import { Operation } from '../wire/operations.ts';

const others = new Set<number>([
  Operation.register,
  Operation.upgrade,
  Operation.noop,
  Operation.pulse,
  Operation.pause,
]);

export const snake = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const ledgerOperationNames: ReadonlyMap<number, string> = new Map(
  Object.entries(Operation)
    .filter(([, code]) => !others.has(code))
    .map(([name, code]) => [code, snake(name.replace(/(Unbatched|Sparse)$/, ''))]),
);
