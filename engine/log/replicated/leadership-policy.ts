/**
 * Decides when a replica takes the lead. The engine's leadership follows raft's, for blocks put through raft's leader take
 * one hop less and its death is noticed by etcd itself:
 *
 * - The member beside this engine *became* raft's leader: claim. If this engine is not up to date, pass raft's lead on.
 * - The leading engine is silent though raft has a leader (the engine crashed, or hangs): the next live one claims, in the
 *   order of views, each later one with a delay.
 * - The leading engine has given the lead up and had not raft's: the engine beside raft's leader claims.
 * - Another engine has led for a while and is well: raft's lead is passed on to its member.
 *
 * A claim answers a change, never a state, so that two replicas cannot take the lead from each other in turn. None of this
 * is needed for safety: that is the fence's work.
 */
import { ALIGN_AFTER_MS, MOVE_AGAIN_MS, SILENCE_MS, SILENCE_STEP_MS } from './limits.ts';
import type { Peer } from './peers.ts';

export interface Observation {
  readonly nowMs: number;
  readonly self: number;
  readonly replicaCount: number;
  /** What the local member says of raft; undefined: it does not answer. */
  readonly raft: { readonly leads: boolean; readonly hasLeader: boolean } | undefined;
  /** Who holds the lead, as far as known. */
  readonly lead: { readonly replica: number; readonly fence: number } | undefined;
  /** This process leads, or is about to. */
  readonly leading: boolean;
  readonly canLead: boolean;
  readonly peers: readonly Peer[];
}

export type Decision =
  | { readonly do: 'nothing' }
  | { readonly do: 'claim' }
  | { readonly do: 'moveRaft'; readonly memberId: bigint };

const nothing: Decision = { do: 'nothing' };

export class LeadershipPolicy {
  #raftLed = false;
  /** Raft's lead came here, and nobody has answered that yet. */
  #owesClaim = false;
  #fence: number | undefined;
  /** When the holder was last known to be well, or became the holder. */
  #holderWellAtMs = 0;
  /** Since when the holder has been well without a break. */
  #holderWellSinceMs = Infinity;
  #seenAtMs = -Infinity;
  #movedAtMs = -Infinity;
  #claimsNotBeforeMs = -Infinity;

  /** This replica claims nothing before somebody else leads, or before that time: it has just handed over. */
  abstain(untilMs: number): void {
    this.#claimsNotBeforeMs = untilMs;
    this.#owesClaim = false;
  }

  /** To be asked with every new status of the local member. */
  decide(seen: Observation): Decision {
    this.#watchHolder(seen);
    const { nowMs, raft, leading, canLead } = seen;
    const raftLeads = raft?.leads === true;
    if (!raftLeads) this.#owesClaim = false;
    else if (!this.#raftLed) this.#owesClaim = nowMs >= this.#claimsNotBeforeMs;
    this.#raftLed = raftLeads;
    if (leading || raft === undefined || !raft.hasLeader) {
      if (leading) this.#owesClaim = false;
      return nothing;
    }
    if (this.#owesClaim) {
      if (!canLead) return this.#moveRaftTo(bestPeer(seen), nowMs);
      this.#owesClaim = false;
      return this.#claim(nowMs);
    }
    const isMine = (raftLeads && holderHasLeft(seen)) || this.#isMyTurn(seen);
    if (canLead && nowMs >= this.#claimsNotBeforeMs && isMine) return this.#claim(nowMs);
    if (raftLeads && nowMs - this.#holderWellSinceMs >= ALIGN_AFTER_MS)
      return this.#moveRaftTo(holderOf(seen), nowMs);
    return nothing;
  }

  #watchHolder(seen: Observation): void {
    const { nowMs, lead, leading } = seen;
    // This process stood still for a while: what it did not hear then says nothing.
    const stoodStill = nowMs - this.#seenAtMs > SILENCE_MS / 2;
    this.#seenAtMs = nowMs;
    const holder = leading ? undefined : holderOf(seen);
    const wellAtMs = leading ? nowMs : (holder?.heardAtMs ?? -Infinity);
    const well = nowMs - wellAtMs < SILENCE_MS;
    if (lead?.fence !== this.#fence) this.#claimsNotBeforeMs = -Infinity;
    if (lead?.fence !== this.#fence || stoodStill) {
      this.#fence = lead?.fence;
      this.#holderWellSinceMs = Infinity;
      this.#holderWellAtMs = nowMs;
    }
    this.#holderWellAtMs = Math.max(this.#holderWellAtMs, wellAtMs);
    if (!well) this.#holderWellSinceMs = Infinity;
    else if (this.#holderWellSinceMs === Infinity) this.#holderWellSinceMs = nowMs;
  }

  /** The holder is silent, for so long that those before this replica had their turn. */
  #isMyTurn({ nowMs, self, replicaCount, lead, peers }: Observation): boolean {
    const first = lead === undefined ? 0 : lead.replica + 1;
    let before = 0;
    for (let step = 0; step < replicaCount; step += 1) {
      const replica = (first + step) % replicaCount;
      if (replica === self) break;
      if (peers.some((peer) => peer.replica === replica && peer.canLead && isLive(peer, nowMs)))
        before += 1;
    }
    return nowMs - this.#holderWellAtMs >= SILENCE_MS + before * SILENCE_STEP_MS;
  }

  #claim(nowMs: number): Decision {
    // The next claim for the same reason waits as if the holder had just been heard.
    this.#holderWellAtMs = nowMs;
    return { do: 'claim' };
  }

  #moveRaftTo(peer: Peer | undefined, nowMs: number): Decision {
    if (peer?.memberId === undefined || nowMs - this.#movedAtMs < MOVE_AGAIN_MS) return nothing;
    this.#movedAtMs = nowMs;
    return { do: 'moveRaft', memberId: peer.memberId };
  }
}

const isLive = (peer: Peer, nowMs: number): boolean => nowMs - peer.heardAtMs < SILENCE_MS;

/** The peer that says it leads under the fence that stands. */
function holderOf({ lead, peers }: Observation): Peer | undefined {
  return peers.find((peer) => peer.replica === lead?.replica && peer.fence === lead.fence);
}

const holderHasLeft = ({ lead, peers }: Observation): boolean =>
  lead !== undefined && peers.some(({ leftFence }) => leftFence === lead.fence);

/** Among the peers that are well and may lead: one whose clock agrees before others, then the one that is furthest. */
export function bestPeer({ nowMs, peers }: Pick<Observation, 'nowMs' | 'peers'>): Peer | undefined {
  const able = peers.filter(
    (peer) => peer.canLead && peer.memberId !== undefined && isLive(peer, nowMs),
  );
  const isWrong = ({ clockAgrees }: Peer): number => Number(clockAgrees === false);
  return able.sort(
    (one, other) =>
      isWrong(one) - isWrong(other) || other.op - one.op || one.replica - other.replica,
  )[0];
}
