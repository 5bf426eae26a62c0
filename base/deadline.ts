import type { Timers } from './timers.ts';

/** Abort reason of a signal whose deadline has passed, as opposed to the caller's wish. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

interface Deadline {
  readonly signal: AbortSignal;
  /** Restarts the time. */
  extend(): void;
  /** Stops the time: afterwards only the parents, and `clear`, abort. */
  disarm(): void;
  /** Aborts, which frees listeners of the signal, and releases timer and parents. Must be called in a `finally`. */
  clear(): void;
}

/** A shared reason: nobody reads it, and an error with its stack for each request costs more than its deadline. */
const cleared = new Error('ended');

/**
 * Returns a signal that aborts after `ms`, or with a parent. It does not use AbortSignal.any: parents here live as long as
 * the process, and must keep nothing of a call.
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
