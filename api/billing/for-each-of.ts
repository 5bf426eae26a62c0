/** Runs all of `works` one after the other. A failure stops none of the others; all failures are thrown together at the end. */
export async function forEachOf(works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, `${failures.length} of ${works.length} failed`);
  }
}
