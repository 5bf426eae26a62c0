/**
 * The time that the replicas of a cluster agree on. Timestamps come from it, never from one machine's clock alone.
 *
 * Every heartbeat contains its sender's clock. Each clock is kept as an offset from this replica's monotonic time, which no
 * administrator sets. The agreed time is the newest one that a majority of all replicas has reached; a replica without a
 * heartbeat in the window has reached nothing. So one wrong clock of three has no effect, and the agreed time is never
 * ahead of the median of the clocks. Between heartbeats it advances with the monotonic time.
 *
 * A replica may use the agreed time while the clocks of a majority, including its own, are within the bound of it, and its
 * own clock has not jumped just now.
 */
import type { Timers } from '../../base/timers.ts';
import type { HeardPeer } from '../peers/peer-link.ts';
import type { ClockStanding } from './served-replica.ts';

/** Maximum distance between clocks that agree. */
const CLOCK_BOUND_MS = 10_000;
/** A clock without a heartbeat for this long is ignored. */
const WINDOW_MS = 3000;
/** A clock that moves this much against the monotonic time between two looks was set. Slewing moves it by far less. */
const JUMP_MS = 1000;
/** Time after a jump during which this replica's clock is not trusted; the replica gives up the lead meanwhile. */
const SETTLE_MS = 3000;

type PeerClock = Pick<HeardPeer, 'heardAtMs' | 'wallMs'>;

interface ClusterClockOptions {
  readonly replicaCount: number;
  readonly timers: Timers;
  readonly peers: () => readonly PeerClock[];
}

export class ClusterClock {
  readonly #options: ClusterClockOptions;
  /** This replica's clock minus its monotonic time at the last look. */
  #ownOffsetMs: number;
  #jumpedAtMs = -Infinity;

  constructor(options: ClusterClockOptions) {
    this.#options = options;
    const { timers } = options;
    this.#ownOffsetMs = timers.wallMs() - timers.nowMs();
  }

  /** Returns nanoseconds since the UNIX epoch, or `undefined` while the clocks do not agree. */
  nowNs(): bigint | undefined {
    const { agreedMs, agrees, nowMs } = this.#look();
    if (agreedMs === undefined || !agrees) return undefined;
    return BigInt(Math.floor(nowMs + agreedMs)) * 1_000_000n;
  }

  standing(): ClockStanding {
    const { agreedMs, agrees, ownMs } = this.#look();
    return {
      agrees,
      offsetMs: agreedMs === undefined ? undefined : Math.round(ownMs - agreedMs),
    };
  }

  #look(): {
    readonly nowMs: number;
    readonly ownMs: number;
    readonly agreedMs: number | undefined;
    readonly agrees: boolean;
  } {
    const { timers, peers, replicaCount } = this.#options;
    const nowMs = timers.nowMs();
    const ownMs = timers.wallMs() - nowMs;
    if (Math.abs(ownMs - this.#ownOffsetMs) > JUMP_MS) this.#jumpedAtMs = nowMs;
    this.#ownOffsetMs = ownMs;
    const heard = peers().filter(({ heardAtMs }) => nowMs - heardAtMs < WINDOW_MS);
    const offsets = [ownMs, ...heard.map(({ wallMs, heardAtMs }) => wallMs - heardAtMs)];
    const majority = Math.floor(replicaCount / 2) + 1;
    const agreedMs = offsets.sort((a, b) => b - a)[majority - 1];
    if (agreedMs === undefined) return { nowMs, ownMs, agreedMs, agrees: false };
    const isNear = (offset: number): boolean => Math.abs(offset - agreedMs) < CLOCK_BOUND_MS;
    const agrees =
      isNear(ownMs) &&
      offsets.filter(isNear).length >= majority &&
      nowMs - this.#jumpedAtMs >= SETTLE_MS;
    return { nowMs, ownMs, agreedMs, agrees };
  }
}
