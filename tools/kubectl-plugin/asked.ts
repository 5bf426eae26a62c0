/** A command of the plugin, and the command line that it was given. */
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import type { Kubectl } from './kubectl.ts';

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Flags of single commands. */
export const ownFlags = {
  output: { type: 'string' },
  'operator-namespace': { type: 'string' },
  name: { type: 'string' },
  'retention-days': { type: 'string' },
  protected: { type: 'boolean' },
  files: { type: 'boolean' },
  'no-wait': { type: 'boolean' },
  'wait-minutes': { type: 'string' },
  'to-time': { type: 'string' },
  'to-timestamp': { type: 'string' },
  'to-op': { type: 'string' },
} as const;
export type OwnFlag = keyof typeof ownFlags;

export interface Asked {
  readonly kubectl: Kubectl;
  /** Empty if none is given. */
  readonly name: string;
  text(flag: OwnFlag): string | undefined;
  has(flag: OwnFlag): boolean;
}

export interface Command {
  readonly run: (asked: Asked) => Promise<string>;
  readonly flags?: readonly OwnFlag[];
  readonly mayOmitName?: boolean;
}

export const databaseOf = async ({ kubectl, name }: Asked) =>
  JSON.parse(await kubectl('get', 'ledgerdatabase', name, '-o', 'json')) as DatabaseObject;

/** A whole number of a flag. Throws a UsageError that says what it must be. */
export function readWhole(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`--${flag} must be a whole number from ${min} to ${max}, not "${text}"`);
}
