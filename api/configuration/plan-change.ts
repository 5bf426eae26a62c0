/**
 * Plan of a change: its difference, its impact, its price, and what to write into the resource. One pure function decides for
 * the preview, for the request and for the job that applies it, and it resolves the spec with the operator's own function. A
 * change that is not possible is a thrown `Refusal` with the place in the request and what is possible instead.
 */
import type { Capacity } from '../../domain/catalog/capacity.ts';
import { streamsSuspended } from '../../domain/change-data-capture.ts';
import { archivingAsked, archivingSpec } from '../../domain/continuous-archiving.ts';
import { resolve, type Previous, type Resolution } from '../../domain/catalog/resolve.ts';
import { replicasOf } from '../../domain/catalog/topologies.ts';
import type {
  CatalogSpec,
  DatabaseObject,
  DatabaseSpec,
  TopologyName,
} from '../../domain/custom-resources.ts';
import type { EarlierState } from '../../domain/returning.ts';
import { capacityOfChoice, choiceErrors } from '../databases/choose.ts';
import { resolvedChoice } from '../databases/resolved-choice.ts';
import type { FieldChange } from '../model/event.ts';
import { Refusal, type FieldError } from '../model/refusal.ts';
import type { ChangeRequest, Impact, PriceDelta } from '../model/configuration-change.ts';
import type { Database, Profile, ProfileChoice } from '../store/database-record.ts';
import type { HeldRecords } from '../store/held-records.ts';
import { archivingOf, captureOf, differencesOf, entriesOf } from './differences.ts';
import { declarerOf } from './field-owners.ts';
import { impactOf, memberOf } from './impact.ts';
import { labelsAfter } from './labels.ts';
import { isDearer, priceDeltaOf } from './price-delta.ts';
import { refuseImpossible, refuseUnfit } from './refuse-impossible.ts';
import { atItsPlace } from './refused-places.ts';
import { canReshape, refuseReturn, refuseShape, reshaped } from './shape.ts';

export interface ChangeWorld {
  readonly catalog: CatalogSpec;
  readonly database: Database;
  /** The active revision. */
  readonly profile: Profile;
  /** The resource from the API server, with its managed fields. */
  readonly object: DatabaseObject;
  /** The earlier revision that the request names. */
  readonly earlier: Profile | undefined;
  /** Records of the database; `undefined`: not known, or of no account for the request. */
  readonly held: HeldRecords | undefined;
}

/** Merge patch of the resource's spec. */
export type SpecPatch = Readonly<Record<string, unknown>>;

export interface ChangePlan {
  readonly diff: readonly FieldChange[];
  readonly impact: Impact;
  readonly priceDelta: PriceDelta | null;
  /** Empty if only labels change. */
  readonly patch: SpecPatch;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Whether billing and quota must allow it: it costs more, or starts a stopped database. */
  readonly needsRight: boolean;
}

export function planChange(world: ChangeWorld, request: ChangeRequest): ChangePlan {
  try {
    return planned(world, request);
  } catch (error) {
    throw error instanceof Refusal ? atItsPlace(error, request) : error;
  }
}

function planned(world: ChangeWorld, request: ChangeRequest): ChangePlan {
  const { catalog, database, object, profile } = world;
  refuseImpossible(world, request);
  if (request.restoredTo !== undefined) return planReturn(world, request.restoredTo);
  if (wantsShape(world, request)) return planShape(world, request.clusterConfiguration);
  const wanted = withEarlier(world, request);
  refuseUnfit(world, wanted);
  const patch = patchOf(object.spec, wanted);
  const previous = previousOf(object);
  const before = configurationOf(world, object.spec, resolve(catalog, object.spec, previous));
  const spec = merged(object.spec, patch);
  const resolution = resolve(catalog, spec, previous);
  if (!resolution.ok) throw notPossible(choiceErrors(resolution.problems));
  const after = configurationOf(world, spec, resolution);
  const labels = labelsAfter(database.labels, wanted.labels);
  const diff = [
    ...differencesOf(before, after),
    ...(labels === undefined ? [] : entriesOf('/labels', database.labels, labels)),
  ];
  if (diff.length === 0) throw nothingToChange();
  refuseDeclared(object, diff);
  const priceDelta = priceDeltaOf(catalog, { ...before, price: profile.price }, after);
  return {
    diff,
    impact: impactOf(diff, {
      replicas: replicasOf[after.clusterConfiguration as TopologyName],
      suspended: before.suspended,
      versionReversible: canReturn(catalog, before, after),
      warnings: warningsOf(world, before, after),
    }),
    priceDelta,
    patch: diff.every(({ path }) => memberOf(path) === 'labels') ? {} : patch,
    labels,
    needsRight: isDearer(priceDelta) || (before.suspended && !after.suspended),
  };
}

/** Whether the request asks for another number of replicas than the database has. */
const wantsShape = (
  { profile }: ChangeWorld,
  request: ChangeRequest,
): request is ChangeRequest & { readonly clusterConfiguration: TopologyName } =>
  request.clusterConfiguration !== undefined &&
  request.clusterConfiguration !== profile.clusterConfiguration;

/** The plan of a change of shape: the resource is replaced, and the operator resolves the new one from nothing. */
function planShape(world: ChangeWorld, topology: TopologyName): ChangePlan {
  const { catalog, object, profile } = world;
  refuseShape(world);
  const spec = reshaped(object, topology);
  const resolution = resolve(catalog, spec);
  if (!resolution.ok) throw notPossible(choiceErrors(resolution.problems));
  const current = resolve(catalog, object.spec, previousOf(object));
  const before = configurationOf(world, object.spec, current);
  const after = configurationOf(world, spec, resolution);
  const diff = differencesOf(before, after);
  const priceDelta = priceDeltaOf(catalog, { ...before, price: profile.price }, after);
  const facts = {
    replicas: replicasOf[topology],
    suspended: false,
    versionReversible: true,
    inPlace: canReshape(world),
  };
  return {
    diff,
    impact: impactOf(diff, facts),
    priceDelta,
    patch: {},
    labels: undefined,
    needsRight: isDearer(priceDelta),
  };
}

/** The plan of a return to an earlier state of the ledger. */
function planReturn(world: ChangeWorld, restoredTo: EarlierState): ChangePlan {
  const { object, profile } = world;
  refuseReturn(world);
  const diff: readonly FieldChange[] = [
    { path: '/restoredTo', from: null, to: restoredTo },
    ...(streamsSuspended(object.spec)
      ? []
      : [{ path: '/changeDataCapture', from: { suspended: false }, to: { suspended: true } }]),
  ];
  const facts = {
    replicas: replicasOf[profile.clusterConfiguration as TopologyName],
    suspended: false,
    versionReversible: true,
  };
  return {
    diff,
    impact: impactOf(diff, facts),
    priceDelta: null,
    patch: {},
    labels: undefined,
    needsRight: false,
  };
}

/** The earlier revision's configuration, with the request on top. Storage does not shrink. */
function withEarlier({ earlier, profile }: ChangeWorld, request: ChangeRequest): ChangeRequest {
  const { revision: _, ...asked } = request;
  if (earlier === undefined) return asked;
  const gone = Object.keys(profile.parameters).filter((name) => !(name in earlier.parameters));
  return {
    clusterSize: earlier.clusterSize,
    engineVersion: earlier.engineVersion,
    selectedStorageGb: Math.max(earlier.selectedStorageGb, profile.selectedStorageGb),
    autogrow: earlier.autogrowLimitGb === null ? null : { limitGb: earlier.autogrowLimitGb },
    continuousArchiving: archivingOf(earlier),
    changeDataCapture: captureOf(earlier),
    ...asked,
    parameters: {
      ...Object.fromEntries(gone.map((name) => [name, null])),
      ...earlier.parameters,
      ...asked.parameters,
    },
  };
}

function patchOf(spec: DatabaseSpec, wanted: ChangeRequest): SpecPatch {
  const { clusterSize, engineVersion, selectedStorageGb, autogrow, parameters, suspended } = wanted;
  const { continuousArchiving: archiving, changeDataCapture: capture } = wanted;
  const rpoSeconds = archiving === null ? null : archiving?.rpoSeconds;
  const storage = {
    ...(selectedStorageGb !== undefined && { sizeGb: selectedStorageGb }),
    ...(autogrow !== undefined && { autogrow }),
  };
  return {
    ...(clusterSize !== undefined && { size: clusterSize }),
    ...(engineVersion !== undefined && { version: engineVersion }),
    ...(Object.keys(storage).length > 0 && { storage }),
    ...(rpoSeconds !== undefined &&
      rpoSeconds !== archivingAsked(spec) && { backup: archivingSpec(rpoSeconds) }),
    ...(capture !== undefined &&
      capture.suspended !== streamsSuspended(spec) && {
        changeDataCapture: { suspend: capture.suspended },
      }),
    ...(parameters !== undefined && Object.keys(parameters).length > 0 && { parameters }),
    ...(suspended !== undefined && suspended !== spec.suspend && { suspend: suspended }),
  };
}

/** Merges as the API server does (RFC 7396). */
function merged(spec: DatabaseSpec, patch: SpecPatch): DatabaseSpec {
  const merge = (target: unknown, change: unknown): unknown => {
    if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
    const result: Record<string, unknown> =
      typeof target === 'object' && target !== null ? { ...target } : {};
    for (const [key, value] of Object.entries(change)) {
      if (value === null) delete result[key];
      else result[key] = merge(result[key], value);
    }
    return result;
  };
  return merge(spec, patch) as DatabaseSpec;
}

/** The operator's earlier resolution, in the form in which the operator itself uses it. */
function previousOf({ status, spec }: DatabaseObject): Previous {
  const grown = Math.max(status?.autogrow?.sizeGb ?? 0, status?.storage?.acknowledgedGb ?? 0);
  return {
    resolved: status?.resolved,
    storageGb: status?.storage?.requestedGb,
    activeVersion: status?.version?.active,
    ...(spec.storage?.autogrow !== undefined && grown > 0 && { grownGb: grown }),
  };
}

/** The configuration that a spec resolves to; the operator's last resolution if this spec cannot be met. */
function configurationOf(
  { object, profile }: ChangeWorld,
  spec: DatabaseSpec,
  resolution: Resolution,
): ProfileChoice {
  if (!resolution.ok) return resolvedChoice(object, profile) ?? profile;
  const { resolved, storageGb } = resolution;
  const status = {
    ...object.status,
    observedGeneration: object.metadata.generation,
    resolved,
    storage: { requestedGb: storageGb },
  };
  return resolvedChoice({ ...object, spec, status } as DatabaseObject, profile) ?? profile;
}

function refuseDeclared(object: DatabaseObject, diff: readonly FieldChange[]): void {
  const errors = diff.flatMap(({ path }): readonly FieldError[] => {
    const manager = declarerOf(object, path);
    if (manager === undefined) return [];
    const detail = `${manager} declares this field in Kubernetes and would set it back; change it there.`;
    return [{ pointer: `#${path}`, code: 'field_declared', detail, meta: { manager } }];
  });
  const [first] = errors;
  if (first === undefined) return;
  throw new Refusal('field_managed_elsewhere', {
    detail: `${first.pointer ?? ''}: ${first.detail}`,
    errors,
  });
}

/** Whether the catalog has a way from the new version back to the old one. */
function canReturn(catalog: CatalogSpec, before: ProfileChoice, after: ProfileChoice): boolean {
  if (before.engineVersion === after.engineVersion) return true;
  const engine = catalog.engines.find(({ name }) => name === after.engine);
  const row = engine?.versions.find(({ version }) => version === before.engineVersion);
  return row?.upgradableFrom?.includes(after.engineVersion) === true;
}

function warningsOf(
  { catalog, earlier, held }: ChangeWorld,
  before: ProfileChoice,
  after: ProfileChoice,
): readonly string[] {
  const memory = (size: string) => catalog.sizes.find(({ id }) => id === size)?.memoryMib ?? 0;
  return [
    ...(memory(after.clusterSize) < memory(before.clusterSize)
      ? [`Each replica gets less memory${holdingWords(capacityOfChoice(catalog, after), held)}.`]
      : []),
    ...(memory(after.clusterSize) > memory(before.clusterSize)
      ? volumeWarning(catalog, after)
      : []),
    ...(earlier !== undefined && earlier.clusterConfiguration !== after.clusterConfiguration
      ? [
          `Revision ${earlier.revision} had the cluster configuration ${earlier.clusterConfiguration}; it stays. Ask for it in a change of its own.`,
        ]
      : []),
    ...(earlier !== undefined && earlier.selectedStorageGb < after.selectedStorageGb
      ? [`Revision ${earlier.revision} had ${earlier.selectedStorageGb} GiB; storage stays.`]
      : []),
  ];
}

const shown = (count: number): string => count.toLocaleString('en');

function holdingWords(capacity: Capacity | null, held: HeldRecords | undefined): string {
  if (capacity === null) return '';
  const { transfersMax, accountsMax } = capacity;
  const words = `, and holds ${shown(transfersMax)} transfers and ${shown(accountsMax)} accounts then`;
  const isMore =
    held !== undefined && (held.transfers > transfersMax || held.accounts > accountsMax);
  if (!isMore) return words;
  return `${words}; it has ${shown(held.transfers)} and ${shown(held.accounts)}, so that requests for old ones wait for the volume, and new ones may be refused`;
}

/** A larger size is of little use on a volume that is full before its memory is. */
function volumeWarning(catalog: CatalogSpec, after: ProfileChoice): readonly string[] {
  const capacity = capacityOfChoice(catalog, after);
  if (capacity?.limitedBy !== 'storage') return [];
  return [
    `The volume of ${after.selectedStorageGb} GiB has room for ${shown(capacity.transfersMax)} transfers, fewer than the memory. Choose more storage for more.`,
  ];
}

const notPossible = (errors: readonly FieldError[]): Refusal =>
  new Refusal('catalog_choice_unavailable', {
    detail: `${errors.map(({ detail }) => detail).join('. ')}.`,
    errors,
  });

const nothingToChange = (): Refusal =>
  new Refusal('nothing_to_change', {
    detail: 'The database already is as the request asks. Read its configuration again.',
  });
