import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 5_000;

/** Waits until what is looked at has not changed for so long, and gives it: what goes on changing never comes to that. */
export async function still<T>(
  what: string,
  look: () => Promise<T>,
  { forMs, withinMs }: { readonly forMs: number; readonly withinMs: number },
): Promise<T> {
  const began = Date.now();
  let [since, seen] = [began, await look()];
  for (;;) {
    await sleep(Math.min(LOOK_EVERY_MS, forMs));
    const now = await look();
    const changed = JSON.stringify(now) !== JSON.stringify(seen);
    if (!changed && Date.now() - since >= forMs) return seen;
    if (Date.now() - began > withinMs) {
      throw new Error(
        `${what}: not still for ${forMs / 1000} s within ${withinMs / 1000} s; at last ${JSON.stringify(seen)} became ${JSON.stringify(now)}`,
      );
    }
    if (changed) [since, seen] = [Date.now(), now];
  }
}
