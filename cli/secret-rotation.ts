/** Rotation of a secret that signs requests: the option of its commands, and their texts. */
import type { Option } from './command.ts';
import { readDurationMs } from './duration.ts';
import type { Input } from './input.ts';

export const graceOption: Option = {
  name: 'grace',
  value: 'duration',
  summary: 'time for which the old secret signs as well, such as 0s or 24h; 24h when absent',
};

/** Body of the request. */
export function rotationOf(input: Input): { gracePeriodSeconds?: number } {
  const grace = input.text(graceOption.name);
  return grace === undefined
    ? {}
    : { gracePeriodSeconds: readDurationMs('--grace', grace) / 1_000 };
}

export const rotationNote = (previousSecretUntil: string | null): string =>
  previousSecretUntil === null
    ? 'the old secret no longer signs'
    : `the old secret signs as well until ${previousSecretUntil}`;
