/**
 * Which faults a run plays, when, and on whom: a function of the seed and of the number of replicas. Each kind comes once
 * before any comes again, so that a run of minutes has them all. Who leads is known only when a fault begins, so that `who`
 * says which part the replicas have; `pick` chooses among those that have it.
 */
import { seeded } from '../support/prng.ts';

export type Part = 'engine' | 'etcd' | 'both';
/** `minority`: as many as the rest can do without, the leader among them. `majority`: one too many. */
export type Who = 'leader' | 'follower' | 'minority' | 'majority' | 'all';

export type Play =
  | { readonly kind: 'kill'; readonly part: Part; readonly who: Who }
  | { readonly kind: 'pause'; readonly part: Part; readonly who: Who }
  /** From the other replicas; `in`: it does not hear them, `out`: they do not hear it. */
  | { readonly kind: 'cut'; readonly way: 'in' | 'out' | 'both'; readonly who: Who }
  /** From clients too. */
  | { readonly kind: 'island'; readonly who: Who }
  /** Of what comes in a fifth is lost. */
  | { readonly kind: 'loss'; readonly who: Who }
  | { readonly kind: 'narrow'; readonly who: Who }
  /** All that replicas send waits in a queue, up to 0.2 s, and is lost when that is full. */
  | { readonly kind: 'congestion'; readonly who: 'all' }
  | { readonly kind: 'slow-disk'; readonly who: Who }
  | { readonly kind: 'full-disk'; readonly who: Who }
  /**
   * The followers' disks have no room for checkpoints while much is written; then all lose power, and the leader's volume
   * does not come back.
   */
  | { readonly kind: 'lopsided-disks'; readonly who: 'leader' }
  /** etcd's quota is reached: it takes no puts. */
  | { readonly kind: 'no-space'; readonly who: 'all' }
  | { readonly kind: 'clock'; readonly hours: number; readonly who: Who }
  /** raft's lead is sent around. */
  | { readonly kind: 'move-leader' }
  | { readonly kind: 'stop'; readonly who: Who }
  /** The data file is gone; a recovered one takes its place. */
  | { readonly kind: 'lose-file'; readonly who: Who }
  /** Data file and etcd's folder are gone; the leader is asked to replace the member. */
  | { readonly kind: 'lose-volume'; readonly who: Who }
  /** Away for so long that the others have dropped what it would need of the log. */
  | { readonly kind: 'fall-behind' }
  /** Old requests, byte for byte, many at once, while the leader dies. */
  | { readonly kind: 'replay' };

export interface Fault {
  /** More than one: they begin and end together. */
  readonly plays: readonly Play[];
  readonly holdMs: number;
  /** After the service is back. */
  readonly calmMs: number;
  /** 0 … 1, one for each play: which of the replicas that `who` allows. */
  readonly picks: readonly number[];
}

const kinds: readonly Play[] = [
  { kind: 'kill', part: 'engine', who: 'leader' },
  { kind: 'kill', part: 'etcd', who: 'leader' },
  { kind: 'kill', part: 'both', who: 'leader' },
  { kind: 'kill', part: 'both', who: 'follower' },
  { kind: 'kill', part: 'etcd', who: 'follower' },
  { kind: 'kill', part: 'both', who: 'minority' },
  { kind: 'kill', part: 'both', who: 'all' },
  { kind: 'pause', part: 'engine', who: 'leader' },
  { kind: 'pause', part: 'etcd', who: 'leader' },
  { kind: 'pause', part: 'both', who: 'leader' },
  { kind: 'pause', part: 'both', who: 'follower' },
  { kind: 'pause', part: 'etcd', who: 'majority' },
  { kind: 'cut', way: 'both', who: 'leader' },
  { kind: 'cut', way: 'both', who: 'follower' },
  { kind: 'cut', way: 'in', who: 'leader' },
  { kind: 'cut', way: 'out', who: 'leader' },
  { kind: 'cut', way: 'both', who: 'minority' },
  { kind: 'island', who: 'leader' },
  { kind: 'loss', who: 'leader' },
  { kind: 'narrow', who: 'leader' },
  { kind: 'slow-disk', who: 'leader' },
  { kind: 'slow-disk', who: 'follower' },
  { kind: 'full-disk', who: 'leader' },
  { kind: 'full-disk', who: 'follower' },
  { kind: 'clock', hours: 1, who: 'leader' },
  { kind: 'clock', hours: -1, who: 'leader' },
  { kind: 'clock', hours: 1, who: 'follower' },
  { kind: 'move-leader' },
  { kind: 'stop', who: 'leader' },
  { kind: 'lose-file', who: 'follower' },
  { kind: 'lose-file', who: 'leader' },
  { kind: 'lose-volume', who: 'follower' },
  { kind: 'lose-volume', who: 'leader' },
  { kind: 'replay' },
];
/** Takes longest, or leaves nobody alone for long: not in runs of a minute or two. */
const longKinds: readonly Play[] = [
  { kind: 'fall-behind' },
  { kind: 'lopsided-disks', who: 'leader' },
  { kind: 'congestion', who: 'all' },
  { kind: 'no-space', who: 'all' },
];

/** Two faults that are worth something together only. */
const pairs: readonly (readonly Play[])[] = [
  // Whoever is left to take the lead has a wrong clock, or must hand it on.
  [
    { kind: 'clock', hours: 1, who: 'follower' },
    { kind: 'kill', part: 'engine', who: 'leader' },
  ],
  [{ kind: 'clock', hours: 1, who: 'follower' }, { kind: 'move-leader' }],
];

/** What a replica may suffer at the same time as another one does. */
const together: readonly Play[] = [
  { kind: 'pause', part: 'engine', who: 'leader' },
  { kind: 'pause', part: 'both', who: 'follower' },
  { kind: 'kill', part: 'engine', who: 'follower' },
  { kind: 'kill', part: 'both', who: 'leader' },
  { kind: 'cut', way: 'in', who: 'follower' },
  { kind: 'cut', way: 'both', who: 'leader' },
  { kind: 'slow-disk', who: 'follower' },
  { kind: 'move-leader' },
];

/** Faults without end: the run takes as many as its time allows. */
export function* faultsOf(seed: number, { long }: { readonly long: boolean }): Generator<Fault> {
  const random = seeded(seed);
  const below = (end: number): number => Math.floor(random() * end);
  const between = (from: number, to: number): number => Math.round(from + random() * (to - from));
  const shuffled = <T>(items: readonly T[]): T[] => {
    const all = [...items];
    for (let i = all.length - 1; i > 0; i -= 1) {
      const j = below(i + 1);
      [all[i], all[j]] = [all[j]!, all[i]!];
    }
    return all;
  };
  for (;;) {
    const groups: (readonly Play[])[] = (long ? [...kinds, ...longKinds] : kinds).map((play) => [
      play,
    ]);
    groups.push(...pairs);
    for (let i = 0; i < 4; i += 1) groups.push(shuffled(together).slice(0, 2 + below(2)));
    for (const plays of shuffled(groups)) {
      yield {
        plays,
        // Short ones and long ones: an election takes 0.3 s, patience 5 s.
        holdMs: random() < 0.4 ? between(100, 700) : between(700, 5000),
        calmMs: between(300, 2500),
        picks: plays.map(() => random()),
      };
    }
  }
}

/** One line for people. */
export function told({ plays, holdMs }: Fault): string {
  const parts = plays.map((play) =>
    Object.values(play)
      .map((value) => (typeof value === 'number' ? `${value > 0 ? '+' : ''}${value} h` : value))
      .join(' '),
  );
  return `${parts.join(' + ')} for ${(holdMs / 1000).toFixed(1)} s`;
}

/** So many of the replicas, the leader first; `pick` turns the followers' order. */
export function targetsOf(
  who: Who,
  { size, leader, pick }: { size: number; leader: number; pick: number },
): readonly number[] {
  const followers = Array.from({ length: size - 1 }, (_, i) => (leader + 1 + i) % size);
  const turn = Math.floor(pick * followers.length);
  const turned = [...followers.slice(turn), ...followers.slice(0, turn)];
  const spare = Math.floor((size - 1) / 2);
  const counts = { leader: 1, follower: 1, minority: spare, majority: spare + 1, all: size };
  const order = who === 'follower' ? turned : [leader, ...turned];
  return order.slice(0, counts[who]);
}
