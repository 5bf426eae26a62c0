/**
 * Brings one database a step nearer to its spec: observes, plans, records decisions, acts, and writes the status. It reads
 * the caches while no work is left, and the API server before any write that destroys something or happens only once.
 */
import type { Logger } from 'pino';
import { catalogName, uidOf } from '../../domain/names.ts';
import type { Capacity } from '../capacity/capacity.ts';
import { sameStatus } from '../runtime/conditions.ts';
import type { Key, Outcome } from '../runtime/controller.ts';
import { resources, type StorageClass } from '../../domain/kinds.ts';
import type { Kube } from '../../base/kube/kube.ts';
import type { DatabaseObject } from '../../domain/custom-objects.ts';
import { statusManager } from '../field-managers.ts';
import { act, WriteFailed, type Refusal } from './act.ts';
import { factsOf, type Draft } from './draft.ts';
import { replicaPods } from './members.ts';
import type { Observation } from './observation.ts';
import { observeCaches, observeLive, type Caches, type Seen } from './observe.ts';
import { plan } from './plan.ts';
import type { StatusFetch } from '../../domain/fetch-status.ts';
import type { NodeZones } from '../runtime/node-zones.ts';
import { pollEngines } from './polls.ts';
import { podRefusals } from './pod-refusals.ts';
import { sameMeaning, statusOf } from './status.ts';
import { chosenNodes } from './steps/bootstrap.ts';
import { noteIssued } from './steps/certificates.ts';
import type { PlanOptions } from './subject-of.ts';
import type { Transitions } from './transitions.ts';

export interface Environment {
  readonly options: PlanOptions;
  readonly kube: Kube;
  readonly caches: Caches;
  readonly fetchStatus: StatusFetch;
  readonly capacityOf: (uid: string) => Capacity | undefined;
  readonly zones: NodeZones;
  readonly nowMs: () => number;
  readonly transitions: Transitions;
}

export async function reconcileDatabase(
  environment: Environment,
  key: Key,
  logger: Logger,
): Promise<Outcome> {
  const cached = environment.caches.databases.get(key.namespace, key.name);
  if (cached === undefined) return {};
  const first = await planned(environment, cached, {});
  if (isSettled(first.observed, first.draft)) return outcomeOf(first.draft);
  // There is something to do: from here on the database itself is read from the API server.
  const database = await environment.kube.read<DatabaseObject>({
    resource: resources.database,
    namespace: key.namespace,
    name: key.name,
  });
  if (database === undefined || uidOf(database) !== uidOf(cached)) return {};
  const session = new Session(environment, database, logger);
  return session.run();
}

/** Maximum number of times that one run writes facts: after each, the plan gets further. */
const roundsMax = 8;

class Session {
  readonly #environment: Environment;
  readonly #logger: Logger;
  #database: DatabaseObject;
  /** State read from the API server. It holds for the whole session, which acts only once, even if facts are written before. */
  #seen: Seen | undefined;

  constructor(environment: Environment, database: DatabaseObject, logger: Logger) {
    this.#environment = environment;
    this.#database = database;
    this.#logger = logger;
  }

  async run(): Promise<Outcome> {
    for (let round = 0; round < roundsMax; round += 1) {
      const { observed, draft } = await this.#plan();
      if (!sameStatus(draft.facts, factsOf(observed.database.status ?? {}))) {
        // Decisions are recorded before anything builds on them.
        await this.#writeStatus(observed, draft);
        continue;
      }
      await this.#act(observed, draft);
      return outcomeOf(draft);
    }
    return { requeueAfterMs: 1_000 };
  }

  async #act(observed: Observation, draft: Draft): Promise<void> {
    try {
      const refusals = await act(
        this.#environment.kube,
        this.#database,
        draft.actions,
        (action, issued) => {
          if (action.verb === 'issue') noteIssued(draft, action, issued);
          const { verb, purpose } = action;
          this.#logger.info({ verb, purpose }, 'done');
        },
      );
      for (const refusal of refusals) note(draft, refusal);
    } catch (error) {
      // A conflict with another writer is not a failure.
      if (error instanceof WriteFailed && error.status !== 409) draft.failure = error.told;
      throw error;
    } finally {
      // The status is written even after a failure. A changed finalizer changes the object's version or removes the object.
      const moved = draft.actions.some((action) => action.purpose === 'finalizer');
      if (!moved) await this.#writeStatus(observed, draft);
    }
  }

  async #plan() {
    const cached = await planned(this.#environment, this.#database, {});
    const risky = cached.draft.actions.some((action) => action.guarded);
    if (!risky && !cached.draft.needs.has('live')) return cached;
    const { kube, caches } = this.#environment;
    this.#seen ??= await observeLive(kube, caches, this.#database);
    return planned(this.#environment, this.#database, { seen: this.#seen });
  }

  async #writeStatus(observed: Observation, draft: Draft): Promise<void> {
    const status = statusOf(observed, draft);
    if (sameMeaning(status, observed.database.status)) return;
    const { apiVersion, kind, metadata } = this.#database;
    const { name, namespace, resourceVersion } = metadata;
    const before = this.#database;
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
    this.#environment.transitions(before, this.#database, this.#logger);
  }
}

/** Plans, reads the data that the plan asks for, and repeats until it asks for nothing more. */
async function planned(
  environment: Environment,
  database: DatabaseObject,
  given: { seen?: Seen },
): Promise<{ observed: Observation; draft: Draft }> {
  const { kube, caches } = environment;
  let observed: Observation = {
    nowMs: environment.nowMs(),
    live: given.seen !== undefined,
    database,
    catalog: caches.catalogs.get(undefined, catalogName),
    ...(given.seen ?? observeCaches(caches, database)),
    polls: undefined,
    capacity: environment.capacityOf(uidOf(database)),
    storageClass: undefined,
  };
  let draft = plan(observed, environment.options);
  if (draft.needs.has('storageClass')) {
    const name = draft.subject?.resolved.storage.className ?? '';
    const found = await kube.read<StorageClass>({ resource: resources.storageClass, name });
    observed = { ...observed, storageClass: { found } };
    draft = plan(observed, environment.options);
  }
  if (draft.needs.has('zones')) {
    observed = { ...observed, zones: await environment.zones.of(kube, chosenNodes(observed)) };
    draft = plan(observed, environment.options);
  }
  if (draft.needs.has('refusals')) {
    observed = { ...observed, refusals: await podRefusals(kube, database.metadata.namespace) };
    draft = plan(observed, environment.options);
  }
  if (draft.needs.has('polls')) {
    const workload = draft.facts.workload ?? '';
    const polls = await pollEngines(
      workload,
      replicaPods(observed.owned.pods),
      environment.fetchStatus,
    );
    observed = { ...observed, polls };
    draft = plan(observed, environment.options);
  }
  return { observed, draft };
}

const isSettled = (observed: Observation, draft: Draft): boolean =>
  draft.actions.length === 0 && sameMeaning(statusOf(observed, draft), observed.database.status);

function outcomeOf(draft: Draft): Outcome {
  return draft.requeueAfterMs === undefined ? {} : { requeueAfterMs: draft.requeueAfterMs };
}

/** Writes a refusal into the status. It is tried again now and then, because its cause may end unseen. */
function note(draft: Draft, refusal: Refusal): void {
  if (refusal.reason === 'ExpansionFailed') {
    draft.storageProblem ??= { reason: 'ExpansionFailed', message: refusal.message };
  } else draft.stallWith(refusal.reason, refusal.message);
  draft.again(30_000);
}
