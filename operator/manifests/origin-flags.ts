import type { Subject } from './subject.ts';

/** Flags that name the backup or the moment with which a database begins. */
export function originFlags({
  backupId,
  targetTime,
  targetTimestamp,
  targetOp,
}: NonNullable<Subject['restoredFrom']>): readonly string[] {
  const which = {
    backup: backupId,
    'to-time': targetTime,
    'to-timestamp': targetTimestamp,
    'to-op': targetOp,
  };
  return Object.entries(which).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
}
