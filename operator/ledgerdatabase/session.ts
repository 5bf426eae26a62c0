/**
 * One run's work at one database. It begins with the caches' content, and goes on at once with the API server's answers.
 * Nothing is built on stale knowledge: statuses and patches name the version that was seen, and before anything else is
 * written, the database was read from the API server, or a status written to it, in this very session. Only Services come before
 * that, as long as no status has their addresses: these are recorded together with the first decisions.
 */
import type { Logger } from 'pino';
import { resources } from '../../domain/kinds.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { uidOf } from '../../domain/names.ts';
import { ApiError } from '../../base/kube/kube.ts';
import { statusManager } from '../field-managers.ts';
import { sameStatus } from '../runtime/conditions.ts';
import type { Outcome } from '../runtime/controller.ts';
import { act, WriteFailed } from './act.ts';
import { isAddition, isNote, targetOf, type Action } from './actions.ts';
import { factsOf, type Plan } from './draft.ts';
import type { Environment } from './environment.ts';
import { LiveView, type LivingKind } from './observe.ts';
import { planned, type Planned } from './planned.ts';
import type { Result } from './perform.ts';
import { withFailure, withRefusal } from './results.ts';
import { sameMeaning, statusOf } from './status.ts';
import { withIssued } from './steps/certificates.ts';

/** Maximum number of times that one run plans. Each time it gets further: a new database of one replica takes five. */
const roundsMax = 12;

/** Wait before a refused write is tried again with the version of the database that was read since. */
const STALE_RETRY_MS = 1_000;

type Step = 'again' | 'done' | 'gone';

export class Session {
  readonly #environment: Environment;
  readonly #logger: Logger;
  #database: DatabaseObject;
  /** Whether the API server itself gave the database in this session. */
  #confirmed = false;
  /** Writes that were made. One that is planned again had no effect, such as when admission reverts it. */
  readonly #done = new Set<string>();
  /** Holds for the whole session, which destroys something at most at its end; but not for a database that others have changed. */
  #live = new LiveView();

  constructor(environment: Environment, cached: DatabaseObject, logger: Logger) {
    this.#environment = environment;
    this.#database = cached;
    this.#logger = logger;
    // One that adopts volumes depends on those of another database.
    const adopts = cached.spec.bootstrap?.volumes !== undefined;
    if (!adopts && environment.isUntouched(cached)) this.#live.beginEmpty();
  }

  /** `first`: the plan from the caches. */
  async run(first: Planned): Promise<Outcome> {
    let next: Planned | undefined = first;
    for (let round = 0; round < roundsMax; round += 1) {
      const now: Planned | undefined = await this.#founded(next ?? (await this.#plan()));
      if (now === undefined) return {};
      const { step, draft } = await this.#step(now);
      if (step === 'gone') return {};
      if (step === 'done') return outcomeOf(draft);
      next = undefined;
    }
    return { requeueAfterMs: 1_000 };
  }

  #plan(): Promise<Planned> {
    return planned(this.#environment, this.#database, this.#live);
  }

  /** Plans again with the data that a plan must be founded on. Returns `undefined` if the database is gone. */
  async #founded(cached: Planned): Promise<Planned | undefined> {
    const { kube } = this.#environment;
    for (let now = cached; ; now = await this.#plan()) {
      // The write of a decision confirms the database as well.
      const acts = !decides(now) && now.draft.actions.some((action) => !isNote(action));
      if (acts && !this.#confirmed) {
        if (!(await this.#confirm())) return undefined;
        continue;
      }
      if (!(await this.#live.read(kube, this.#database, kindsFor(now.draft)))) return now;
    }
  }

  /** Records decisions, or acts. Returns the plan with the results of its actions. */
  async #step({ observed, draft: intended }: Planned): Promise<{ step: Step; draft: Plan }> {
    let draft = intended;
    const repeats = draft.actions.some((action) => this.#done.has(wordsOf(action)));
    if (decides({ observed, draft }) && (repeats || !asksForAddresses(draft))) {
      // Decisions are recorded before anything builds on them.
      const written = await this.#writeStatus({ observed, draft });
      return { step: written === 'done' ? 'again' : written, draft };
    }
    // A changed finalizer changes the object's version or removes the object.
    const moves = draft.actions.some((action) => action.purpose === 'finalizer');
    let refused = false;
    try {
      const { kube } = this.#environment;
      const refusals = await act(kube, this.#database, draft.actions, (action, result) => {
        if (action.verb === 'issue') draft = withIssued(draft, action, result.issued);
        this.#noteDone(action, result);
      });
      const goesOn =
        !repeats &&
        draft.actions.length > 0 &&
        refusals.length === 0 &&
        draft.actions.every(isAddition);
      if (goesOn) return { step: 'again', draft };
      draft = refusals.reduce(withRefusal, draft);
      refused = refusals.length > 0;
    } catch (error) {
      // A conflict with another writer is not a failure.
      if (error instanceof WriteFailed && error.status !== 409) {
        draft = withFailure(draft, error.told);
      }
      if (!moves) await this.#writeStatus({ observed, draft });
      throw error;
    }
    const step = moves ? 'done' : await this.#writeStatus({ observed, draft });
    // A refused write is not repeated at once, although the status had an old version.
    if (step === 'again' && refused) {
      return { step: 'done', draft: { ...draft, requeueAfterMs: STALE_RETRY_MS } };
    }
    return { step, draft };
  }

  #noteDone(action: Action, { object }: Result): void {
    if (object !== undefined) {
      this.#live.note(object);
      this.#environment.noteAnswer(object);
    }
    const { verb, purpose } = action;
    this.#done.add(wordsOf(action));
    this.#logger.info({ verb, purpose }, 'done');
  }

  /** Returns `again` if the status was not written because the caches hold an old version of the database. */
  async #writeStatus({ observed, draft }: Planned): Promise<Step> {
    const status = statusOf(observed, draft);
    if (sameMeaning(status, observed.database.status)) return 'done';
    const { apiVersion, kind, metadata } = this.#database;
    const { name, namespace, resourceVersion } = metadata;
    const before = this.#database;
    try {
      this.#database = await this.#environment.kube.apply<DatabaseObject>(
        resources.database,
        {
          apiVersion,
          kind,
          // The version that was seen: of two simultaneous decisions, one is refused.
          metadata: { name, namespace, resourceVersion },
          status,
        } as unknown as DatabaseObject,
        { fieldManager: statusManager, force: true, subresource: 'status' },
      );
    } catch (error) {
      const stale = error instanceof ApiError && (error.status === 409 || error.status === 404);
      if (!stale || this.#confirmed) throw error;
      return (await this.#confirm()) ? 'again' : 'gone';
    }
    this.#confirmed = true;
    const { pace, nowMs } = this.#environment;
    pace.noteWrite(uidOf(this.#database), nowMs());
    this.#environment.noteAnswer(this.#database);
    this.#environment.transitions(before, this.#database, this.#logger);
    return 'done';
  }

  /** Reads the database from the API server. Returns whether it is still there. */
  async #confirm(): Promise<boolean> {
    const { namespace, name } = this.#database.metadata;
    const reference = { resource: resources.database, namespace, name };
    const found = await this.#environment.kube.read<DatabaseObject>(reference);
    if (found === undefined || uidOf(found) !== uidOf(this.#database)) return false;
    if (found.metadata.resourceVersion !== this.#database.metadata.resourceVersion) {
      this.#live = new LiveView();
    }
    this.#database = found;
    this.#confirmed = true;
    this.#environment.noteAnswer(found);
    return true;
  }
}

/** Whether the plan decides something that is not on record yet. */
export const decides = ({ observed, draft }: Planned): boolean =>
  !sameStatus(draft.facts, factsOf(observed.database.status ?? {}));

/** Whether the plan only makes Services whose addresses are not on record: nothing knows these addresses, whatever becomes of them. */
const asksForAddresses = ({ actions }: Plan): boolean =>
  actions.length > 0 &&
  actions.every(
    ({ verb, purpose, guarded }) => verb === 'create' && purpose === 'service' && !guarded,
  );

function wordsOf(action: Action): string {
  const { resource, name } = targetOf(action);
  return `${action.verb} ${resource.kind} ${name}`;
}

/** Kinds that must be read from the API server, not from the caches, before the plan is carried out. */
function kindsFor({ needs, actions }: Plan): readonly LivingKind[] {
  const guarded = actions.filter((action) => action.guarded);
  if (guarded.length === 0 && !needs.has('live')) return [];
  const kinds: LivingKind[] = ['claims', 'pods', 'statefulSets'];
  const touched = guarded.filter(
    // If a Job that formats exists, the API server decides when another one is made.
    ({ verb, purpose }) => !(verb === 'create' && purpose === 'format'),
  );
  const of = new Set(touched.map((action) => targetOf(action).resource));
  if (of.has(resources.service)) kinds.push('services');
  if (of.has(resources.job)) kinds.push('jobs');
  return kinds;
}

export function outcomeOf(draft: Plan): Outcome {
  return draft.requeueAfterMs === undefined ? {} : { requeueAfterMs: draft.requeueAfterMs };
}
