/** Ctrl-C and SIGTERM end a benchmark like its normal end: everything that it started is stopped. */

const stopping = new AbortController();

/** Runs `main` to its end, or to the first signal; the process then ends with 130. */
export async function runInterruptible(main: () => Promise<void>): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!stopping.signal.aborted) console.log(`${signal}: stopping`);
      stopping.abort(new Error(signal));
    });
  }
  try {
    await main();
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    // The interrupted wait never settles, because everything it waited for has ended.
    process.exit(130);
  }
}

/** Ends only the wait: the awaited work fails by itself when everything is stopped. */
export function abortable<T>(run: () => Promise<T>): Promise<T> {
  const { signal } = stopping;
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([run(), aborted]);
}
