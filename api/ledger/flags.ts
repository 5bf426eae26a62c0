/** TigerBeetle's flag names, for each kind of record and filter. */
import {
  AccountFilterFlag,
  AccountFlag,
  QueryFilterFlag,
  TransferFlag,
} from '../../engine/wire/flags.ts';

export type FlagNames = Readonly<Record<string, number>>;

const withoutReserved = (flags: FlagNames): FlagNames =>
  Object.fromEntries(Object.entries(flags).filter(([name]) => name !== 'reserved'));

export const accountFlags = withoutReserved(AccountFlag);
export const transferFlags = withoutReserved(TransferFlag);
export const accountFilterFlags: FlagNames = AccountFilterFlag;
export const queryFilterFlags: FlagNames = QueryFilterFlag;

/** Returns the bits of one name, or of names joined with `|`; `undefined` if a name is not in `names`. */
export function bitsOfNames(text: string, names: FlagNames): number | undefined {
  let bits = 0;
  for (const name of text.split('|')) {
    if (!Object.hasOwn(names, name)) return undefined;
    bits |= names[name] ?? 0;
  }
  return bits;
}
