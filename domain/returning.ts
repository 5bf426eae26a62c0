/**
 * The earlier state to which a database is about to go back. The resource of the backup that is made before says it, because that outlives the
 * resource of the database, which is replaced: no backup that the state needs is removed, and neither is the last one. Before a change of shape it
 * names that backup itself. It holds for a limited time, so that a job which was given up keeps nothing for long. Pure.
 */
import { isAhead } from './clocks.ts';
import type { DatabaseSpec, LedgerBackup } from './custom-resources.ts';
import { annotations, labels } from './names.ts';

type Origin = NonNullable<NonNullable<DatabaseSpec['bootstrap']>['backup']>;

/** A backup by its ID in the bucket, or a moment of the archived log. `targetTimestamp`: nanoseconds since 1970, decimal. */
export type EarlierState =
  | { readonly backupId: string }
  | { readonly targetOp: number }
  | { readonly targetTimestamp: string };

/** Longest time for which a state is kept without being asked for again. */
export const keptMs = 60 * 60_000;

/** The value of the annotation: `MEMBER=VALUE/TIME`. */
export function writtenReturn(state: EarlierState, untilMs: number): string {
  const [[member, value] = []] = Object.entries(state);
  return `${member}=${value}/${new Date(untilMs).toISOString().replace(/\.\d+Z$/, 'Z')}`;
}

/**
 * The state that a backup says, and the time left; `undefined`: it says none that counts. A time that is further ahead than `keptMs`, and
 * clocks, allow was written by a wrong clock, or by somebody else: it would keep a backup for years.
 */
export function returnOf(
  { metadata, status }: Pick<LedgerBackup, 'metadata' | 'status'>,
  nowMs: number,
): { readonly origin: Origin; readonly leftMs: number } | undefined {
  const [state = '', until = ''] = metadata.annotations?.[annotations.returnsTo]?.split('/') ?? [];
  const untilMs = Date.parse(until);
  const leftMs = untilMs - nowMs;
  // Before it has begun, only the label says of which database it is.
  const databaseId = status?.databaseId ?? metadata.labels?.[labels.databaseId];
  const named = stateOf(state);
  if (!(leftMs > 0) || isAhead(untilMs - keptMs, nowMs)) return undefined;
  return databaseId === undefined || named === undefined
    ? undefined
    : { origin: { databaseId, ...named }, leftMs };
}

function stateOf(text: string): EarlierState | undefined {
  const [member, value = ''] = text.split('=');
  if (member === 'backupId') return { backupId: value };
  if (!/^\d{1,20}$/.test(value)) return undefined;
  if (member === 'targetOp') return { targetOp: Number(value) };
  return member === 'targetTimestamp' ? { targetTimestamp: value } : undefined;
}
