/** Conditions as the Kubernetes API conventions want them, and when a status is worth a write. */

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase, of a closed list. */
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime: string;
}

export type NextCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Those already there: other programs' readers and older versions may have left fields out. */
type PreviousCondition = Pick<Condition, 'type' | 'status'> & Partial<Condition>;

/**
 * `next` is the whole set and gives the order; what it does not name is gone. The time of the last transition moves only
 * with `status`: a new reason or message is no transition.
 */
export function setConditions(
  previous: readonly PreviousCondition[],
  next: readonly NextCondition[],
  seen: { readonly observedGeneration: number; readonly nowMs: number },
): Condition[] {
  const now = rfc3339(seen.nowMs);
  return next.map(({ type, status, reason, message }) => {
    const before = previous.find((condition) => condition.type === type);
    const kept = before?.status === status ? before.lastTransitionTime : undefined;
    return {
      type,
      status,
      reason,
      message,
      observedGeneration: seen.observedGeneration,
      lastTransitionTime: kept ?? now,
    };
  });
}

/**
 * Whether writing `b` over `a` would change nothing. A field that is `undefined` is not there, as in JSON; the order of keys
 * is none, the order of lists is.
 */
export function sameStatus(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => sameStatus(item, b[index]));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].every((key) => sameStatus(left[key], right[key]));
}

const rfc3339 = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
