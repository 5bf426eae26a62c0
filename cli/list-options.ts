/** Options that lists share. */
import { valueFailure } from './failure.ts';
import type { Input } from './input.ts';
import { readInteger } from './ledger/integers.ts';

export function readLimit(input: Input): { readonly limit?: number; readonly cursor?: string } {
  const limit = input.text('limit');
  const cursor = input.text('cursor');
  return {
    ...(limit === undefined ? {} : { limit: readRowLimit(limit) }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

export const readRowLimit = (text: string): number =>
  Number(readInteger('--limit', text, { bits: 16, minimum: 1n }));

/** All values of a repeatable option; each must be one of `choices`, in upper or lower case. */
export function readChoices<const Name extends string, const Choice extends string>(
  input: Input,
  name: Name,
  choices: readonly Choice[],
): { readonly [N in Name]?: readonly Choice[] } {
  const values = input.list(name).map((value) => {
    const choice = choices.find((candidate) => candidate.toLowerCase() === value.toLowerCase());
    if (choice !== undefined) return choice;
    throw valueFailure(`--${name} "${value}" is not one of ${choices.join(', ')}`);
  });
  const chosen: Readonly<Record<string, readonly Choice[]>> =
    values.length === 0 ? {} : { [name]: values };
  return chosen as {
    readonly [N in Name]?: readonly Choice[];
  };
}
