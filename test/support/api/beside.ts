/** Two transactions beside each other, in an order that nothing leaves to chance. */
import { sql } from 'kysely';
import type { Change } from '../../../api/store/change.ts';
import type { Store } from '../../../api/store/store.ts';
import { eventually } from '../shell.ts';
import { tester } from './store.ts';

/** Does `first` in a change, which the returned function commits. */
export async function held(
  store: Store,
  first: (change: Change) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const isDone = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const holding = store.change(tester, async (change) => {
    await first(change);
    isDone.resolve();
    await goOn.promise;
  });
  await Promise.race([isDone.promise, holding]);
  return () => {
    goOn.resolve();
    return holding;
  };
}

/** Waits until so many transactions of the store wait for a lock, or `hasEnded` says that none ever will. */
export async function untilLocked(
  store: Store,
  count: number,
  hasEnded: () => boolean = () => false,
): Promise<void> {
  await eventually(`${count} wait`, async () => {
    const { rows } = await sql`SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(store.read);
    return hasEnded() || rows.length >= count ? true : undefined;
  });
}

/**
 * Begins `second` when `first` has done everything but commit, and commits `first` once `second` waits for it, or has ended without
 * that. Returns the result of `second`.
 */
export async function beside<Result>(
  store: Store,
  first: (change: Change) => Promise<unknown>,
  second: () => Promise<Result>,
): Promise<Result> {
  const commit = await held(store, first);
  let hasEnded = false;
  const waiting = second().finally(() => {
    hasEnded = true;
  });
  try {
    await untilLocked(store, 1, () => hasEnded);
  } finally {
    await Promise.allSettled([commit(), waiting]);
  }
  await commit();
  return waiting;
}
