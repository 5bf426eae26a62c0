import { LRUCache } from 'lru-cache';

/** A map that forgets values after some time, and the least recently used values when there are too many. */
export type RecentMap<Value extends {}> = LRUCache<string, Value>;

export const recentMap = <Value extends {}>(
  max: number,
  lifetimeMs: number,
  nowMs: () => number,
): RecentMap<Value> =>
  // Without a resolution of 0 the cache reads the clock only occasionally, by a timer of its own.
  new LRUCache({ max, ttl: lifetimeMs, ttlResolution: 0, perf: { now: nowMs } });
