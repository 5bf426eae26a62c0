/** The UTC day may change while tests run. */
import { dayOf } from '../../api/store/day-partitions.ts';

/** Does something, and does it again if the day changed meanwhile; gives what it gave at last. */
export async function onOneDay<T>(deed: () => Promise<T>): Promise<T> {
  for (;;) {
    const day = dayOf(Date.now());
    const done = await deed();
    if (day === dayOf(Date.now())) return done;
  }
}
