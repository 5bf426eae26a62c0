/**
 * The earlier state to which a database is about to go back, as its resource says it: no backup that this needs is removed. It holds for a
 * time, so that a restore which was given up keeps nothing for long. Pure.
 */
import type { DatabaseSpec, LedgerDatabase } from './custom-resources.ts';
import { annotations } from './names.ts';

type Origin = NonNullable<NonNullable<DatabaseSpec['bootstrap']>['backup']>;

/** A backup by its ID in the bucket, or a moment of the archived log. `targetTimestamp`: nanoseconds since 1970, decimal. */
export type EarlierState =
  | { readonly backupId: string }
  | { readonly targetOp: number }
  | { readonly targetTimestamp: string };

/** The value of the annotation: `MEMBER=VALUE/TIME`. */
export function writtenReturn(state: EarlierState, untilMs: number): string {
  const [[member, value] = []] = Object.entries(state);
  return `${member}=${value}/${new Date(untilMs).toISOString().replace(/\.\d+Z$/, 'Z')}`;
}

/** `undefined`: it is not about to go back. */
export function returnOf(
  { metadata, status }: LedgerDatabase,
  nowMs: number,
): { readonly origin: Origin; readonly leftMs: number } | undefined {
  const [state = '', until = ''] = metadata.annotations?.[annotations.returnsTo]?.split('/') ?? [];
  const leftMs = Date.parse(until) - nowMs;
  const { databaseId } = status ?? {};
  const named = stateOf(state);
  if (!(leftMs > 0) || databaseId === undefined || named === undefined) return undefined;
  return { origin: { databaseId, ...named }, leftMs };
}

function stateOf(text: string): EarlierState | undefined {
  const [member, value = ''] = text.split('=');
  if (member === 'backupId') return { backupId: value };
  if (!/^\d{1,20}$/.test(value)) return undefined;
  if (member === 'targetOp') return { targetOp: Number(value) };
  return member === 'targetTimestamp' ? { targetTimestamp: value } : undefined;
}
