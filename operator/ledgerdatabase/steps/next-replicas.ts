/**
 * Volumes and data files of further replicas, made while the single replica still serves, for the topology to which the database is about to
 * change (annotation `next-topology`): so that its clients wait for neither. The replicas run in the next resource, which adopts the volumes
 * together with the first one (reshaping.ts). If the change does not come in its time, they go: nothing has ever run on them.
 */
import { cutText } from '../../../base/cut-text.ts';
import { resolve, type Complete } from '../../../domain/catalog/resolve.ts';
import { annotations, formatJobName } from '../../../domain/names.ts';
import { resources } from '../../../domain/kinds.ts';
import { buildClaim } from '../../manifests/claim.ts';
import type { Subject } from '../../manifests/subject.ts';
import { deletion } from '../actions.ts';
import { Draft, type StepResult } from '../draft.ts';
import { indexOf, type Observation } from '../observation.ts';
import { makeFiles } from './data-files.ts';
import { isMadeForNext, madeFor } from './reshaping.ts';
import { claimOf } from './volumes.ts';

/** A person may have written any time, and a timer reaches some 24 days at most. */
const lookAgainMaxMs = 12 * 3_600_000;

export function makeNextReplicas(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject?.resolved.engine.name !== 'Builtin' || subject.resolved.topology.replicas !== 1)
    return 'continue';
  const wanted = asked(observed, draft);
  const next = wanted === undefined ? undefined : resolvedFor(observed, draft, wanted);
  if (takeBack(observed, draft, next?.resolved.topology.name) === 'halt') return 'continue';
  if (next === undefined) return 'continue';
  const { restoredFrom: _, importedFrom: __, filling: ___, ...own } = subject;
  makeAll(observed, draft, { ...own, ...next, reshapes: true });
  return 'continue';
}

/** The topology that is asked for, for as long as it is. */
function asked({ database, nowMs }: Observation, draft: Draft): string | undefined {
  const { facts, subject } = draft;
  const [topology, until = ''] =
    database.metadata.annotations?.[annotations.nextTopology]?.split('/') ?? [];
  const leftMs = Date.parse(until) - nowMs;
  if (topology === undefined || !(leftMs > 0)) return undefined;
  const serves = facts.bootstrapped === true && facts.filled !== false;
  if (!serves || subject?.suspend === true) return undefined;
  draft.again(Math.min(leftMs, lookAgainMaxMs));
  return topology;
}

/** The configuration that the next resource will have: that of today in another topology. */
function resolvedFor(
  { database, catalog }: Observation,
  draft: Draft,
  topology: string,
): Pick<Subject, 'resolved'> | undefined {
  const { subject, activeVersion } = draft;
  if (subject === undefined || catalog === undefined) return undefined;
  const { engine, placement, size, storage } = subject.resolved;
  const { provider, region } = placement;
  const request = {
    ...database.spec,
    topology: topology as NonNullable<typeof database.spec.topology>,
    engine: engine.name as NonNullable<typeof database.spec.engine>,
    version: engine.version,
    provider,
    region,
    size: size.name,
    storage: { tier: storage.tier, sizeGb: subject.storageGb },
  };
  const { storageGb } = subject;
  const result = resolve(catalog.spec, request, { resolved: undefined, storageGb, activeVersion });
  if (result.ok && isSeveral(result.resolved)) return { resolved: result.resolved };
  const why = result.ok ? `topology ${topology} has one replica` : result.problems[0]?.message;
  draft.nextTopology = { name: topology, ready: false, message: why ?? 'it is not in the catalog' };
  return undefined;
}

const isSeveral = ({ topology }: Complete): boolean => topology.replicas > 1;

/** Removes what was made for another topology, or for a change that did not come. The Jobs first: none may be taken for one of a later volume. */
function takeBack({ owned }: Observation, draft: Draft, topology: string | undefined): StepResult {
  const workload = draft.subject?.workload ?? '';
  const left = owned.claims.filter(
    (claim) => isMadeForNext(claim) && madeFor(claim)?.topology !== topology,
  );
  const gone = (index: number) =>
    owned.claims.every((claim) => indexOf(claim) !== index || left.includes(claim));
  const jobs = owned.jobs.filter((job) => {
    const index = indexOf(job);
    return index > 0 && job.metadata.name === formatJobName(workload, index) && gone(index);
  });
  if (jobs.length === 0 && left.length === 0) return 'continue';
  const things = jobs.length > 0 ? jobs : left;
  const resource = jobs.length > 0 ? resources.job : resources.claim;
  for (const one of things.filter(({ metadata }) => metadata.deletionTimestamp === undefined))
    draft.do({ ...deletion('purge', resource, one), guarded: true });
  return 'halt';
}

function makeAll(observed: Observation, draft: Draft, subject: Subject): void {
  const { name, replicas } = subject.resolved.topology;
  const own = new Draft(draft.facts);
  own.subject = subject;
  const further = Array.from({ length: replicas - 1 }, (_, index) => index + 1);
  const open = further.filter((index) => {
    const claim = claimOf(observed, subject.workload, index);
    return claim === undefined || madeFor(claim)?.formatted === undefined;
  });
  own.wait(`${further.length - open.length} of ${further.length} further data files exist`);
  const foreign = open
    .map((index) => claimOf(observed, subject.workload, index))
    .find((claim) => claim !== undefined && !isMadeForNext(claim));
  if (foreign === undefined) {
    for (const index of open) ensureClaim(observed, own, index);
    const noteOf = (formatted: string) => ({ [annotations.madeFor]: `${name} ${formatted}` });
    makeFiles(observed, own, { subject, open, noteOf });
  } else {
    const claim = foreign.metadata.name;
    own.waiting = `volume ${claim} is there already; delete it if nobody needs it: kubectl -n ${subject.namespace} delete pvc ${claim}`;
  }
  draft.do(...own.actions);
  for (const need of own.needs) draft.needs.add(need);
  if (own.requeueAfterMs !== undefined) draft.again(own.requeueAfterMs);
  const ready = open.length === 0;
  const message = ready ? undefined : (own.stall?.message ?? own.waiting);
  draft.nextTopology = {
    name,
    ready,
    ...(message !== undefined && { message: cutText(message, 1_024) }),
  };
}

function ensureClaim(observed: Observation, draft: Draft, index: number): void {
  const { subject } = draft;
  if (subject === undefined) return;
  const claim = claimOf(observed, subject.workload, index);
  if (claim?.metadata.deletionTimestamp !== undefined)
    draft.waiting = `volume ${claim.metadata.name} is being deleted`;
  if (claim !== undefined) return;
  const { metadata, ...rest } = buildClaim(subject, index);
  const note = { [annotations.madeFor]: subject.resolved.topology.name };
  draft.do({
    verb: 'create',
    purpose: 'volume',
    guarded: true,
    resource: resources.claim,
    object: { ...rest, metadata: { ...metadata, annotations: note } },
  });
}
