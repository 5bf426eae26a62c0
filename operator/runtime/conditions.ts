/** Conditions according to the Kubernetes API conventions, and a comparison that avoids needless status writes. */

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase, from a closed list. */
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  /** RFC 3339 with whole seconds. */
  readonly lastTransitionTime: string;
}

export type NextCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** An existing condition: other programs and older versions may have left fields out. */
type PreviousCondition = Pick<Condition, 'type' | 'status'> & Partial<Condition>;

/**
 * Replaces the conditions with `next`, in its order; unnamed ones are removed. The time of the last transition moves only
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
 * Whether writing `b` over `a` would change nothing. An `undefined` field counts as absent, as in JSON; the order of lists
 * matters, the order of keys does not.
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
