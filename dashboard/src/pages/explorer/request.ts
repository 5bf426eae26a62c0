/** The body of a ledger request, made from the address. Every integer is sent as digits. */
import { readInteger } from '../../lib/digits.ts';
import { readBound } from '../../lib/time.ts';
import { takes, type OperationName } from './operations.ts';
import type { ExplorerSearch } from './search.ts';

interface PlannedQuery {
  /** JSON, or `undefined` while something is wrong. */
  readonly body: string | undefined;
  /** The error of each field. */
  readonly errors: Readonly<Record<string, string>>;
  /** The interpretation of each field, where it is not obvious. */
  readonly understood: Readonly<Record<string, string>>;
}

export const usualLimit = '100';
const largestLimit = 8_189n;

const integers = [
  ['account_id', 128],
  ['ledger', 32],
  ['code', 16],
  ['user_data_128', 128],
  ['user_data_64', 64],
  ['user_data_32', 32],
] as const;

const fieldOf = (name: string) => (name.startsWith('user_data') ? 'userData' : name);

export function planQuery(
  operation: OperationName,
  search: ExplorerSearch,
  now: Date,
): PlannedQuery {
  if (search.body !== undefined) return planJson(search.body);
  const errors: Record<string, string> = {};
  const understood: Record<string, string> = {};
  if (takes(operation, 'ids')) return planLookup(search.ids ?? '');
  const body: Record<string, unknown> = {};
  for (const [name, bits] of integers) {
    const text = search[name];
    if (text === undefined || !takes(operation, fieldOf(name) as 'ledger')) continue;
    const digits = readInteger(text, bits);
    if (digits === undefined) errors[name] = `Must be an integer of ${bits} bits.`;
    else body[name] = digits;
  }
  if (takes(operation, 'account_id') && search.account_id === undefined) {
    errors['account_id'] = 'Which account?';
  }
  for (const [name, member] of [
    ['from', 'timestamp_min'],
    ['to', 'timestamp_max'],
  ] as const) {
    const text = search[name];
    if (text === undefined) continue;
    const bound = readBound(text, now);
    if (bound === undefined) errors[name] = 'A time such as 2026-11-22 14:00, -1h, or nanoseconds.';
    else {
      body[member] = bound;
      understood[name] = `${bound} ns`;
    }
  }
  const limit = readInteger(search.limit ?? usualLimit, 32);
  if (limit === undefined || BigInt(limit) < 1n || BigInt(limit) > largestLimit) {
    errors['limit'] = `From 1 to ${largestLimit}.`;
  } else body['limit'] = limit;
  const flags = [
    ...(takes(operation, 'sides') ? sidesOf(search.side) : []),
    ...(search.order === 'oldest' ? [] : ['reversed']),
  ];
  if (flags.length > 0) body['flags'] = flags;
  const isRight = Object.keys(errors).length === 0;
  return { body: isRight ? JSON.stringify(body) : undefined, errors, understood };
}

/** JSON goes out as it was typed, byte for byte: the service says what is wrong with it. */
function planJson(body: string): PlannedQuery {
  try {
    JSON.parse(body);
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'It cannot be read.';
    return { body: undefined, errors: { body: `This is no JSON: ${detail}` }, understood: {} };
  }
  return { body, errors: {}, understood: {} };
}

const sidesOf = (side: 'debits' | 'credits' | undefined): readonly string[] =>
  side === undefined ? ['debits', 'credits'] : [side];

function planLookup(text: string): PlannedQuery {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  const ids = words.map((word) => readInteger(word, 128));
  const wrong = words.find((_, index) => ids[index] === undefined);
  const errors: Record<string, string> = {};
  if (words.length === 0) errors['ids'] = 'Which ones? One ID a line.';
  if (wrong !== undefined) errors['ids'] = `“${wrong.slice(0, 60)}” is no ID of 128 bits.`;
  const isRight = Object.keys(errors).length === 0;
  return { body: isRight ? JSON.stringify({ ids }) : undefined, errors, understood: {} };
}
