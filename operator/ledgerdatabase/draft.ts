/** A plan in the making: steps write into it what they found and what is to be done. */
import type { ReasonOf, StallReason } from '../../domain/conditions.ts';
import type { RolloutRule } from '../../domain/replica-states.ts';
import type { DatabaseStatus } from '../../domain/resources.ts';
import type { Subject } from '../manifests/subject.ts';
import type { Action } from './actions.ts';
import type { Need } from './observation.ts';

/** What of the status is decided rather than seen. It is written before anything is done that builds on it. */
export type Facts = Pick<
  DatabaseStatus,
  | 'observedGeneration'
  | 'databaseId'
  | 'clusterId'
  | 'workload'
  | 'bootstrapped'
  | 'addresses'
  | 'resolved'
  | 'endpoints'
  | 'peerCertificates'
>;

/** As a status read from the API server has them: what is undefined is left out. */
export function factsOf(status: DatabaseStatus): Facts {
  const { observedGeneration, databaseId, clusterId, workload } = status;
  const { bootstrapped, addresses, resolved, endpoints, peerCertificates } = status;
  const all = {
    observedGeneration,
    databaseId,
    clusterId,
    workload,
    bootstrapped,
    addresses,
    resolved,
    endpoints,
    peerCertificates,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export interface Stall {
  readonly reason: StallReason;
  /** Ends with what a person can do. */
  readonly message: string;
}

export interface Blocked {
  readonly pod: string;
  readonly predicate: RolloutRule;
  readonly message: string;
}

export class Draft {
  facts: Facts;
  storageGb: number | undefined;
  /** Set once the facts are complete enough to make objects. */
  subject: Subject | undefined;
  /** The version that every replica runs. */
  activeVersion: string | undefined;
  stall: Stall | undefined;
  /** What is waited for, in words. */
  waiting: string | undefined;
  /** Which replicas' pods nobody could make, and why. */
  refusedPods: string | undefined;
  /** The write that failed last, and the API server's words. */
  failure: string | undefined;
  /** What admission made otherwise than the operator meant it, by path; it is left alone. */
  leftAlone: readonly string[] = [];
  /** A newer template is there, and the pods keep theirs until somebody asks for it. */
  olderTemplate = false;
  recovering = false;
  storageProblem: { reason: ReasonOf<'StorageReady'>; message: string } | undefined;
  deleting = false;
  /** Of a paused database: what was planned and is left undone, in words. `undefined`: it is not paused. */
  leftUndone: readonly string[] | undefined;
  readonly blocked: Blocked[] = [];
  readonly actions: Action[] = [];
  readonly needs = new Set<Need>();
  requeueAfterMs: number | undefined;

  constructor(facts: Facts) {
    this.facts = facts;
  }

  do(...actions: readonly Action[]): void {
    this.actions.push(...actions);
  }

  /** The first one counts: what comes after often follows from it. */
  stallWith(reason: StallReason, message: string): void {
    this.stall ??= { reason, message };
  }

  wait(message: string): void {
    this.waiting ??= message;
  }

  again(afterMs: number): void {
    this.requeueAfterMs = Math.min(this.requeueAfterMs ?? afterMs, afterMs);
  }
}

/** `halt`: the steps after this one build on something that is not there yet. */
export type StepResult = 'continue' | 'halt';
