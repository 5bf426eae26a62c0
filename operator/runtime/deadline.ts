import type { Timers } from './timers.ts';

/** The signal's reason when a deadline has passed, not the caller's wish. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** Starts the time anew. */
  extend(): void;
  /** Lets go of timer and parent. To be called in a `finally`. */
  clear(): void;
}

/** A signal that aborts after `ms`, or with its parent. */
export function startDeadline(timers: Timers, ms: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const expire = () =>
    controller.abort(new DeadlineExceeded(`nothing within ${Math.round(ms / 1_000)} s`));
  const follow = () => controller.abort(parent?.reason);
  if (parent?.aborted === true) follow();
  else parent?.addEventListener('abort', follow);
  let cancel = timers.after(ms, expire);
  return {
    signal: controller.signal,
    extend: () => {
      cancel();
      cancel = timers.after(ms, expire);
    },
    clear: () => {
      cancel();
      parent?.removeEventListener('abort', follow);
    },
  };
}
