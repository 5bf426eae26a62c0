/**
 * Works on all items, at most `limit` at a time; it takes the next item only when one has ended. The first failure stops the
 * rest.
 */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const source = (async function* () {
    yield* items;
  })();
  const run = { failed: false };
  const worker = async (): Promise<void> => {
    while (!run.failed) {
      const next = await source.next();
      if (next.done === true) return;
      await work(next.value);
    }
  };
  const workers = Array.from({ length: limit }, () =>
    worker().catch((error: unknown) => {
      run.failed = true;
      throw error;
    }),
  );
  // All have ended when this rejects, so that nothing continues in the background.
  const ends = await Promise.allSettled(workers);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
