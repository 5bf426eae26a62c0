/** Time for the runtime, injected so that tests control the clock. All durations are milliseconds. */
export interface Timers {
  /** Monotonic milliseconds without a date: for durations and deadlines only. */
  nowMs(): number;
  /** Milliseconds since the UNIX epoch by the machine's clock. */
  wallMs(): number;
  /** Calls `callback` once. The returned function cancels the call. */
  after(ms: number, callback: () => void): () => void;
}

export const systemTimers: Timers = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or at once when the signal aborts: the caller must check the signal. */
export function sleep(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.after(ms, end);
    signal?.addEventListener('abort', end);
  });
}
