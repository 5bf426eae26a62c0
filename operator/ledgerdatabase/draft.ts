/** A plan. Steps write their findings and actions into the draft; a finished plan no longer changes. */
import type { ReasonOf, StallReason } from '../../domain/conditions.ts';
import type { RolloutRule } from '../../domain/replica-states.ts';
import type { DatabaseStatus } from '../../domain/custom-resources.ts';
import type { Subject } from '../manifests/subject.ts';
import type { Action } from './actions.ts';
import type { AutogrowVerdict } from './steps/autogrow.ts';
import type { Need } from './observation.ts';

/** The part of the status that is decided rather than observed. It is written before any action that builds on it. */
export type Facts = Pick<
  DatabaseStatus,
  | 'observedGeneration'
  | 'databaseId'
  | 'clusterId'
  | 'workload'
  | 'bootstrapped'
  | 'filled'
  | 'addresses'
  | 'resolved'
  | 'endpoints'
  | 'peerCertificates'
  | 'autogrow'
  | 'preChange'
>;

/** The facts of a status read from the API server; undefined fields are left out. */
export function factsOf(status: DatabaseStatus): Facts {
  const { observedGeneration, databaseId, clusterId, workload } = status;
  const { bootstrapped, addresses, resolved, endpoints, peerCertificates, autogrow } = status;
  const { preChange, filled } = status;
  const all = {
    observedGeneration,
    databaseId,
    clusterId,
    workload,
    bootstrapped,
    filled,
    addresses,
    resolved,
    endpoints,
    peerCertificates,
    autogrow,
    preChange,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

interface Stall {
  readonly reason: StallReason;
  /** Sentence that ends with what a person can do. */
  readonly message: string;
}

interface Blocked {
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
  /** Description of the event that the database waits for. */
  waiting: string | undefined;
  /** Names of replicas whose pods nobody could make, and why. */
  refusedPods: string | undefined;
  /** The last failed write, and the API server's message. */
  failure: string | undefined;
  /** Paths that admission changed against the operator's intent; they are left alone. */
  leftAlone: readonly string[] = [];
  /** A newer template exists, and the pods keep theirs until somebody asks for it. */
  olderTemplate = false;
  recovering = false;
  /** Progress of the volumes for the topology to which the database is about to change. */
  nextTopology: DatabaseStatus['nextTopology'];
  storageProblem: { reason: ReasonOf<'StorageReady'>; message: string } | undefined;
  autogrow: AutogrowVerdict | undefined;
  deleting = false;
  /** Planned writes of a paused database that are left undone, in words; `undefined`: it is not paused. */
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

  /** Keeps the first reason: later ones often follow from it. */
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

type Finished<Value> =
  Value extends Set<infer Item>
    ? ReadonlySet<Item>
    : Value extends (infer Item)[]
      ? readonly Item[]
      : Value;

/** A finished plan. The results of its actions make another one: results.ts. */
export type Plan = {
  readonly [Key in Exclude<keyof Draft, 'do' | 'stallWith' | 'wait' | 'again'>]: Finished<
    Draft[Key]
  >;
};

/** `halt` ends the plan: the following steps build on something that does not exist yet. */
export type StepResult = 'continue' | 'halt';
