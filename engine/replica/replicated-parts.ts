/** The parts of one of several replicas, and their assembly. */
import type { ReplicatedLogError } from '../log/replicated/errors.ts';
import type { ReplicatedLog, Role } from '../log/replicated/replicated-log.ts';
import { BlockExecution } from './block-execution.ts';
import { ClusterClock } from './cluster-clock.ts';
import { Departure } from './departure.ts';
import { Forwarding } from './forwarding.ts';
import type { HaltedError } from './halted-error.ts';
import { Heartbeats } from './heartbeats.ts';
import { HeldState } from './held-state.ts';
import { Intake } from './intake.ts';
import { LeaderRequests } from './leader-requests.ts';
import { LogPlace } from './log-place.ts';
import { OwedAnswers } from './owed-answers.ts';
import { PendingRequests } from './pending-requests.ts';
import type { ReplicatedReplicaOptions } from './replicated-options.ts';
import { RequestCounts } from './request-counts.ts';
import { StateComparison } from './state-comparison.ts';

/** The replica as its parts see it. */
export interface Host {
  readonly view: number;
  /** True once the replica serves no more. */
  readonly isOver: boolean;
  /** Aborted when the replica stops. */
  readonly stopped: AbortSignal;
  roleChanged(role: Role): void;
  /** Called when another replica's state has replaced this one's. */
  stateReplaced(): void;
  /** Makes the replica stop serving. */
  halt(error: HaltedError | ReplicatedLogError): void;
}

export interface ReplicatedParts {
  readonly state: HeldState;
  readonly place: LogPlace;
  readonly clock: ClusterClock;
  readonly pending: PendingRequests;
  readonly owed: OwedAnswers;
  readonly counts: RequestCounts;
  readonly comparison: StateComparison;
  readonly leader: LeaderRequests;
  readonly forwarding: Forwarding;
  readonly intake: Intake;
  readonly execution: BlockExecution;
  readonly heartbeats: Heartbeats;
  readonly departure: Departure;
}

export function assemble(options: ReplicatedReplicaOptions, host: Host): ReplicatedParts {
  const { batchSizeLimit, identity, peers, timers } = options;
  const { replicaCount } = identity;
  const { stopped } = host;
  const log = (): ReplicatedLog | undefined => place.log;
  const view = (): number => host.view;
  const onHalt = (error: HaltedError | ReplicatedLogError): void => host.halt(error);
  const pending = new PendingRequests();
  const owed = new OwedAnswers();
  const counts = new RequestCounts();
  const comparison = new StateComparison(replicaCount);
  const clock = new ClusterClock({ replicaCount, timers, peers: () => peers.all() });
  const state = new HeldState(options, stopped, (position) => place.mark(position));
  const common = { state, clock, log, timers, pending, owed, counts, comparison, stopped, onHalt };
  const { onCheckpointError: onReadError } = options;
  const leader = new LeaderRequests({ ...common, batchSizeLimit, view, onReadError });
  const known = () => (leader.leads ? undefined : log()?.lead);
  const forwarding = new Forwarding({ identity, peers, timers, pending, leader: known, view });
  const heartbeats = new Heartbeats(options, {
    ...common,
    isOver: () => host.isOver,
    lacksPagesMs: () => execution.lacksPagesMs,
    onBeat: () => {
      forwarding.withdrawAbandoned();
      forwarding.forwardWaiting();
    },
  });
  const tellPeers = (): void => heartbeats.send();
  const execution = new BlockExecution({ ...common, leader, tellPeers });
  const place = new LogPlace(options, {
    ...common,
    consumer: {
      committed: (block) => execution.committed(block),
      isBusy: () => execution.isBusy,
      roleChanged: (role) => execution.afterwards(() => host.roleChanged(role)),
      failed: onHalt,
    },
    executed: (then) => execution.afterwards(then),
    onReplaced: () => host.stateReplaced(),
  });
  const intake = new Intake({ ...common, leader, forwarding });
  const departure = new Departure({ ...common, forwarding });
  const own = { leader, forwarding, heartbeats, execution, place, intake, departure };
  return { ...common, ...own };
}
