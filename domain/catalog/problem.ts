import type { StallReason } from '../conditions.ts';

/** Why a request cannot be met: a field, a reason of the closed list, and the possible choices. */
export interface Problem {
  /** Path in a LedgerDatabase, such as `spec.size`. */
  readonly field: string;
  readonly reason: StallReason;
  /** A sentence that ends with what can be chosen instead. */
  readonly message: string;
  readonly choices: readonly string[];
}

export function problem(
  field: string,
  reason: StallReason,
  sentence: string,
  choices: readonly string[] = [],
): Problem {
  const message = choices.length === 0 ? sentence : `${sentence}; there are ${choices.join(', ')}`;
  return { field, reason, message, choices };
}
