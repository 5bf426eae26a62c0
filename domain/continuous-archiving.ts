/** Continuous archiving in a database's spec. Pure. */
import type { DatabaseSpec } from './custom-resources.ts';

/** Time in seconds within which an operation is to be in the store, if nobody says another. */
export const RPO_SECONDS = 5;

/** The time that the spec asks for; null: the log is not to be archived. */
export function archivingAsked({ backup }: DatabaseSpec): number | null {
  const { enabled = false, rpoSeconds = RPO_SECONDS } = backup?.continuous ?? {};
  return enabled ? rpoSeconds : null;
}

/** The part of a spec that asks for it; null: that the log is not archived. */
export const archivingSpec = (rpoSeconds: number | null): NonNullable<DatabaseSpec['backup']> => ({
  continuous: { enabled: rpoSeconds !== null, rpoSeconds: rpoSeconds ?? RPO_SECONDS },
});
