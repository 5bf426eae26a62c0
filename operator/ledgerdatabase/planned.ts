/** A plan, with the data that it asked for. */
import { catalogAt } from '../../domain/catalog/versions.ts';
import { catalogName, uidOf } from '../../domain/names.ts';
import { resources, type StorageClass } from '../../domain/kinds.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import type { Plan } from './draft.ts';
import type { Environment } from './environment.ts';
import { replicaPods } from './replica-pods.ts';
import type { Observation } from './observation.ts';
import { observeCaches, type LiveView } from './observe.ts';
import { plan } from './plan.ts';
import { podRefusals } from './pod-refusals.ts';
import { askSilentAgain, pollEngines } from './polls.ts';
import { readStrays, withStrays } from './strays.ts';
import { chosenNodes } from './steps/data-files.ts';

export interface Planned {
  readonly observed: Observation;
  readonly draft: Plan;
}

/** Tolerance for clocks: a time that the API accepted by its clock is not refused by the operator's. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

/** Plans, reads the data that the plan asks for, and repeats until it asks for nothing more. */
export async function planned(
  environment: Environment,
  database: DatabaseObject,
  live?: LiveView,
): Promise<Planned> {
  const { kube, caches } = environment;
  const cached = observeCaches(caches, database);
  const nowMs = environment.nowMs();
  const catalog = caches.catalogs.get(undefined, catalogName);
  let observed: Observation = {
    nowMs,
    live: live?.isLive === true,
    database,
    catalog: catalog && { ...catalog, spec: catalogAt(catalog.spec, nowMs, CLOCKS_DIFFER_MS) },
    ...(live === undefined ? cached : live.over(cached)),
    polls: undefined,
    capacity: environment.capacityOf(uidOf(database)),
    backups: environment.backupsOf(database),
    storageClass: undefined,
  };
  let draft = plan(observed, environment.options);
  if (draft.needs.has('strays')) {
    const strays = await readStrays(kube, observed);
    observed = { ...observed, strays, owned: withStrays(observed.owned, strays) };
    draft = plan(observed, environment.options);
  }
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
    const capacity = observed.capacity ?? environment.heard(database, workload, polls);
    observed = { ...observed, polls, capacity };
    draft = plan(observed, environment.options);
  }
  if (draft.needs.has('answers') && observed.polls !== undefined) {
    const workload = draft.facts.workload ?? '';
    const pods = replicaPods(observed.owned.pods);
    const polls = await askSilentAgain(workload, pods, observed.polls, environment);
    observed = { ...observed, polls, askedAgain: true };
    draft = plan(observed, environment.options);
  }
  return { observed, draft };
}
