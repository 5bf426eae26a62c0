/** Standing of one of several replicas relative to the others, for its status. */
import { ReplicaRole } from '../../domain/engine-status.ts';
import type { ReplicatedLogError } from '../log/replicated/errors.ts';
import type { ReplicatedLog } from '../log/replicated/replicated-log.ts';
import type { HeardPeer } from '../peers/peer-link.ts';
import type { HaltedError } from './halted-error.ts';
import { heardLately } from './heard-lately.ts';
import type { ClockStanding, ReplicaStanding } from './served-replica.ts';

interface StandingParts {
  /** `undefined` before the log is opened and after the replica was stopped. */
  readonly log: ReplicatedLog | undefined;
  readonly halted: HaltedError | ReplicatedLogError | undefined;
  readonly leads: boolean;
  readonly isFull: boolean;
  /** True while it fetches the state of another replica. */
  readonly catchingUp: boolean;
  readonly clock: ClockStanding;
  readonly peers: readonly HeardPeer[];
  readonly nowMs: number;
}

const noLeader = 'no replica leads';

export function standingOf(parts: StandingParts): ReplicaStanding {
  const { log, halted, leads, isFull, catchingUp } = parts;
  const isUp = log !== undefined && halted === undefined;
  const isLeader = isUp && leads;
  const follows = isUp && !catchingUp && log.heartbeat().canLead;
  const unready = unreadyOf(parts, follows);
  return {
    role: isLeader ? ReplicaRole.primary : follows ? ReplicaRole.backup : ReplicaRole.recovering,
    replicaStatus: unready === noLeader ? 1 : isLeader || follows ? 0 : 2,
    syncing: !isLeader && !follows,
    logFull: isUp && isFull,
    unready,
    halted: halted !== undefined,
    clock: parts.clock,
  };
}

/** Returns the reason why the replica does not serve clients, or `undefined` if it does. */
function unreadyOf(parts: StandingParts, follows: boolean): string | undefined {
  const { log, halted, leads, catchingUp, peers, nowMs } = parts;
  if (halted !== undefined) return `halted (${halted.code}): ${halted.message}`;
  if (log === undefined) return 'not serving';
  if (catchingUp) return 'fetching the state of another replica';
  if (leads) return undefined;
  if (log.memberStatus?.isLearner === true)
    return 'its etcd member is new; the replica takes part once the member has the log';
  if (!follows) return 'its etcd member does not serve, or the log has not been read yet';
  const isLed = heardLately(peers, nowMs).some(({ fence }) => fence === log.lead?.fence);
  return isLed ? undefined : noLeader;
}
