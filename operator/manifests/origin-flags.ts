import type { Subject } from './subject.ts';

/** Flags that name the backup or the moment with which a database begins. */
export function originFlags({
  backupId,
  targetTime,
  targetTimestamp,
  targetOp,
  follows,
}: NonNullable<Subject['restoredFrom']>): readonly string[] {
  const which = {
    backup: backupId,
    'to-time': targetTime,
    'to-timestamp': targetTimestamp,
    'to-op': targetOp,
    'follows-op': follows?.op,
    'follows-timestamp': follows?.timestamp,
  };
  return Object.entries(which).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
}
