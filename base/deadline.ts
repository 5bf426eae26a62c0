import type { Timers } from './timers.ts';

/** The signal's reason when a deadline has passed, not the caller's wish. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** Starts the time anew. */
  extend(): void;
  /** From here on only the parents, and `clear`, abort. */
  disarm(): void;
  /** Aborts, which frees what still hangs on the signal, and lets go of timer and parents. To be called in a `finally`. */
  clear(): void;
}

/** One for all: nobody is told of it, and an error with its stack for each request costs more than its deadline. */
const cleared = new Error('ended');

/**
 * A signal that aborts after `ms`, or with a parent. Not AbortSignal.any: parents here live as long as the process, and
 * nothing of a call may stay with them.
 */
export function startDeadline(
  timers: Timers,
  ms: number,
  ...parents: readonly (AbortSignal | undefined)[]
): Deadline {
  const controller = new AbortController();
  const expire = () =>
    controller.abort(new DeadlineExceeded(`nothing within ${Math.round(ms / 100) / 10} s`));
  const follow = () => controller.abort(parents.find((parent) => parent?.aborted)?.reason);
  for (const parent of parents) parent?.addEventListener('abort', follow);
  if (parents.some((parent) => parent?.aborted)) follow();
  let cancel = timers.after(ms, expire);
  return {
    signal: controller.signal,
    extend: () => {
      cancel();
      cancel = timers.after(ms, expire);
    },
    disarm: () => cancel(),
    clear: () => {
      cancel();
      for (const parent of parents) parent?.removeEventListener('abort', follow);
      controller.abort(cleared);
    },
  };
}
