/**
 * The faults of a run, their times and their targets: a function of the seed and of the number of replicas. Each kind comes
 * once before any comes again, so that a run of minutes has them all. The leader is known only when a fault begins, so `who`
 * names the replicas' role; `pick` chooses among the replicas with that role.
 */
import { seeded } from '../support/prng.ts';

export type Part = 'engine' | 'etcd' | 'both';
/** `minority`: as many as the rest can do without, the leader among them. `majority`: one more than that. */
type Who = 'leader' | 'follower' | 'minority' | 'majority' | 'all';

export type Play =
  | { readonly kind: 'kill'; readonly part: Part; readonly who: Who }
  | { readonly kind: 'pause'; readonly part: Part; readonly who: Who }
  /** Cuts replicas off from the others. `in`: it does not hear them, `out`: they do not hear it. */
  | { readonly kind: 'cut'; readonly way: 'in' | 'out' | 'both'; readonly who: Who }
  /** Cuts replicas off from the others and from clients. */
  | { readonly kind: 'island'; readonly who: Who }
  /** A fifth of the incoming packets is lost. */
  | { readonly kind: 'loss'; readonly who: Who }
  | { readonly kind: 'narrow'; readonly who: Who }
  /** All packets of replicas wait in a queue, up to 0.2 s, and are lost when it is full. */
  | { readonly kind: 'congestion'; readonly who: 'all' }
  | { readonly kind: 'slow-disk'; readonly who: Who }
  | { readonly kind: 'full-disk'; readonly who: Who }
  /**
   * The followers' disks have no room for checkpoints while much is written; then all lose power, and the leader's volume
   * does not come back.
   */
  | { readonly kind: 'lopsided-disks'; readonly who: 'leader' }
  /** Clients ask replicas for page after page and hardly take the answers. */
  | { readonly kind: 'slow-readers'; readonly who: Who }
  /** etcd's quota is reached: it takes no puts. */
  | { readonly kind: 'no-space'; readonly who: 'all' }
  | { readonly kind: 'clock'; readonly hours: number; readonly who: Who }
  /** raft's lead moves from member to member. */
  | { readonly kind: 'move-leader' }
  | { readonly kind: 'stop'; readonly who: Who }
  /** The data file is gone; a recovered one takes its place. */
  | { readonly kind: 'lose-file'; readonly who: Who }
  /** Data file and etcd's folder are gone; the leader is asked to replace the member. */
  | { readonly kind: 'lose-volume'; readonly who: Who }
  /** A follower is away for so long that the others have dropped the blocks that it needs. */
  | { readonly kind: 'fall-behind' }
  /** Old requests, byte for byte, many at once, while the leader dies. */
  | { readonly kind: 'replay' };

export interface Fault {
  /** Plays of the fault. Several begin and end together. */
  readonly plays: readonly Play[];
  readonly holdMs: number;
  /** Pause after the service is back, ms. */
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
  { kind: 'slow-readers', who: 'leader' },
  { kind: 'slow-readers', who: 'all' },
  { kind: 'replay' },
];
/** Plays that take longest or affect all replicas for long: left out of runs of a minute or two. */
const longKinds: readonly Play[] = [
  { kind: 'fall-behind' },
  { kind: 'lopsided-disks', who: 'leader' },
  { kind: 'congestion', who: 'all' },
  { kind: 'no-space', who: 'all' },
];

/** Pairs of faults that are useful only together. */
const pairs: readonly (readonly Play[])[] = [
  // The only replica that can take the lead has a wrong clock, or must hand over.
  [
    { kind: 'clock', hours: 1, who: 'follower' },
    { kind: 'kill', part: 'engine', who: 'leader' },
  ],
  [{ kind: 'clock', hours: 1, who: 'follower' }, { kind: 'move-leader' }],
];

/** Plays that may affect a replica at the same time as another play. */
const together: readonly Play[] = [
  { kind: 'pause', part: 'engine', who: 'leader' },
  { kind: 'pause', part: 'both', who: 'follower' },
  { kind: 'kill', part: 'engine', who: 'follower' },
  { kind: 'kill', part: 'both', who: 'leader' },
  { kind: 'cut', way: 'in', who: 'follower' },
  { kind: 'cut', way: 'both', who: 'leader' },
  { kind: 'slow-disk', who: 'follower' },
  { kind: 'slow-readers', who: 'all' },
  { kind: 'move-leader' },
];

/** An endless sequence of faults: the run takes as many as its time allows. */
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
        // Some are short, some long: an election takes 0.3 s, patience 5 s.
        holdMs: random() < 0.4 ? between(100, 700) : between(700, 5000),
        calmMs: between(300, 2500),
        picks: plays.map(() => random()),
      };
    }
  }
}

/** Describes a fault in one line for people. */
export function told({ plays, holdMs }: Fault): string {
  const parts = plays.map((play) =>
    Object.values(play)
      .map((value) => (typeof value === 'number' ? `${value > 0 ? '+' : ''}${value} h` : value))
      .join(' '),
  );
  return `${parts.join(' + ')} for ${(holdMs / 1000).toFixed(1)} s`;
}

/** The replicas that a fault hits, the leader first; `pick` rotates the followers' order. */
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
