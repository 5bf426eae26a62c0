/**
 * Decides when a replica takes the lead. The engine's leadership follows raft's, because blocks put through raft's leader
 * take one hop less and etcd itself notices its death:
 *
 * - The member beside this engine *became* raft's leader: claim. If this engine is not up to date, pass raft's lead on. One that was
 *   raft's leader when this process began has not become it: another engine that is well keeps the lead, and is passed raft's.
 * - The leading engine is silent though raft has a leader (the engine crashed, or hangs), and commits nothing: the next live
 *   one claims, in the order of views, each later one with a delay.
 * - The leading engine has given up the lead and its member was not raft's leader: the engine beside raft's leader claims.
 * - Another engine has led for a while and is well: pass raft's lead on to its member.
 *
 * A claim answers a change, never a state, so that two replicas cannot take the lead from each other in turn. Safety does
 * not depend on this policy; the fence ensures it.
 */
import { ALIGN_AFTER_MS, MOVE_AGAIN_MS, SILENCE_MS, SILENCE_STEP_MS } from './limits.ts';
import type { Peer } from './peers.ts';
import type { ClaimReason } from './reasons.ts';

export interface Observation {
  readonly nowMs: number;
  readonly self: number;
  readonly replicaCount: number;
  /** Raft's state according to the local member; `undefined` if it does not answer. */
  readonly raft: { readonly leads: boolean; readonly hasLeader: boolean } | undefined;
  /** Holder of the lead, as far as this replica knows. */
  readonly lead: { readonly replica: number; readonly fence: number } | undefined;
  /** Time when a block of the holder's reign last came here. */
  readonly leadCommittedAtMs: number;
  /** True if this process leads or is about to. */
  readonly leading: boolean;
  readonly canLead: boolean;
  readonly peers: readonly Peer[];
}

export type Decision =
  | { readonly do: 'nothing' }
  | { readonly do: 'claim'; readonly why: ClaimReason }
  | { readonly do: 'moveRaft'; readonly memberId: bigint };

const nothing: Decision = { do: 'nothing' };

export class LeadershipPolicy {
  /** Whether raft led here when the member last answered; `undefined` before its first answer. */
  #raftLed: boolean | undefined;
  /** True if raft's lead came here and no claim has answered that yet. */
  #owesClaim = false;
  /** True if that may have been before this process began. */
  #owesFromBefore = false;
  #fence: number | undefined;
  /** Time when the holder was last known to be well, or became the holder. */
  #holderWellAtMs = 0;
  /** Time since which the holder has been well without a break. */
  #holderWellSinceMs = Infinity;
  #seenAtMs = -Infinity;
  #movedAtMs = -Infinity;
  #claimsNotBeforeMs = -Infinity;

  /** Stops claims until another replica leads or `untilMs` is reached. Called after this replica has handed over. */
  abstain(untilMs: number): void {
    this.#claimsNotBeforeMs = untilMs;
    this.#owesClaim = false;
  }

  /** Returns what to do. Call it with every new status of the local member. */
  decide(seen: Observation): Decision {
    this.#watchHolder(seen);
    const { nowMs, raft, leading, canLead } = seen;
    const raftLeads = raft?.leads === true;
    if (raft !== undefined) this.#watchRaft(raftLeads, nowMs);
    if (leading || raft === undefined || !raft.hasLeader) {
      if (leading) this.#owesClaim = false;
      return nothing;
    }
    if (this.#owesFromBefore && this.#holderWellSinceMs !== Infinity) this.#owesClaim = false;
    if (this.#owesClaim && !this.#mayHearHolder(seen)) {
      if (!canLead) return this.#moveRaftTo(bestPeer(seen), nowMs);
      this.#owesClaim = false;
      return this.#claim(nowMs, 'raft_led');
    }
    if (canLead && nowMs >= this.#claimsNotBeforeMs) {
      if (raftLeads && holderHasLeft(seen)) return this.#claim(nowMs, 'leader_left');
      if (this.#isMyTurn(seen))
        return this.#claim(nowMs, isHeard(seen) ? 'leader_stuck' : 'leader_silent');
    }
    if (raftLeads && nowMs - this.#holderWellSinceMs >= ALIGN_AFTER_MS)
      return this.#moveRaftTo(holderOf(seen), nowMs);
    return nothing;
  }

  /** Whether the holder, which led before this process began, may only not have been heard yet. */
  #mayHearHolder({ nowMs, self, lead }: Observation): boolean {
    const isOther = lead !== undefined && lead.replica !== self;
    return this.#owesFromBefore && isOther && nowMs - this.#holderWellAtMs < SILENCE_MS;
  }

  #watchRaft(raftLeads: boolean, nowMs: number): void {
    if (!raftLeads) this.#owesClaim = false;
    else if (this.#raftLed !== true) {
      this.#owesClaim = nowMs >= this.#claimsNotBeforeMs;
      this.#owesFromBefore = this.#raftLed === undefined;
    }
    this.#raftLed = raftLeads;
  }

  #watchHolder(seen: Observation): void {
    const { nowMs, lead, leading, leadCommittedAtMs } = seen;
    // If this process stood still for a while, silence of a holder during that time proves nothing.
    const stoodStill = nowMs - this.#seenAtMs > SILENCE_MS / 2;
    const isNews = this.#seenAtMs === -Infinity || lead?.fence !== this.#fence;
    this.#seenAtMs = nowMs;
    const holder = leading ? undefined : holderOf(seen);
    const saidAtMs = leading ? nowMs : (holder?.heardAtMs ?? -Infinity);
    const wellAtMs = Math.max(saidAtMs, leadCommittedAtMs);
    const well = nowMs - wellAtMs < SILENCE_MS;
    if (lead?.fence !== this.#fence) this.#claimsNotBeforeMs = -Infinity;
    if (isNews || (stoodStill && lead !== undefined)) {
      this.#fence = lead?.fence;
      this.#holderWellSinceMs = Infinity;
      this.#holderWellAtMs = nowMs;
    }
    this.#holderWellAtMs = Math.max(this.#holderWellAtMs, wellAtMs);
    if (!well) this.#holderWellSinceMs = Infinity;
    else if (this.#holderWellSinceMs === Infinity) this.#holderWellSinceMs = nowMs;
  }

  /** Returns whether the holder has been silent for so long that all replicas before this one had their turn. */
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

  #claim(nowMs: number, why: ClaimReason): Decision {
    // The next claim for the same reason waits as if the holder had just sent a heartbeat.
    this.#holderWellAtMs = nowMs;
    return { do: 'claim', why };
  }

  #moveRaftTo(peer: Peer | undefined, nowMs: number): Decision {
    if (peer?.memberId === undefined || nowMs - this.#movedAtMs < MOVE_AGAIN_MS) return nothing;
    this.#movedAtMs = nowMs;
    return { do: 'moveRaft', memberId: peer.memberId };
  }
}

const isLive = (peer: Peer, nowMs: number): boolean => nowMs - peer.heardAtMs < SILENCE_MS;

/** Returns the peer that says that it leads under the current fence. */
function holderOf({ lead, peers }: Observation): Peer | undefined {
  return peers.find((peer) => peer.replica === lead?.replica && peer.fence === lead.fence);
}

/** Returns whether heartbeats of the replica that has the lead come, whatever they say. */
const isHeard = ({ nowMs, lead, peers }: Observation): boolean =>
  peers.some((peer) => peer.replica === lead?.replica && isLive(peer, nowMs));

const holderHasLeft = ({ lead, peers }: Observation): boolean =>
  lead !== undefined && peers.some(({ leftFence }) => leftFence === lead.fence);

/** Returns the best of the live peers that can lead: peers whose clock agrees come first, then the highest op. */
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
