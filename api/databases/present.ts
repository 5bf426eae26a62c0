/** Converts databases and profiles to the contract's shape. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { replicasOf } from '../../domain/catalog/topologies.ts';
import { forcedOf, updateOf, type EngineRow } from '../../domain/catalog/versions.ts';
import type { CatalogSpec, EngineName, TopologyName } from '../../domain/custom-resources.ts';
import type { Immutable } from '../contract/route.ts';
import type {
  database as databaseSchema,
  profile as profileSchema,
} from '../contract/schemas/database.ts';
import type { GatewayHealth } from '../model/gateway-health.ts';
import { ledgerBodyMax } from '../ledger/decode.ts';
import { eventsMax, rowsMax } from '../ledger/operations.ts';
import {
  archivingOf,
  autogrowOf,
  captureOf,
  type Configuration,
} from '../configuration/differences.ts';
import { placed, type Usage } from '../monitoring/current.ts';
import type { DatabaseView, Profile } from '../store/database-record.ts';
import { priceOfChoice } from './choose.ts';
import type { DatabaseHealth } from '../model/database-standing.ts';

type ShownDatabase = Immutable<z.input<typeof databaseSchema>>;
type ShownProfile = Immutable<z.input<typeof profileSchema>>;

/** Facts besides the store's row that are known without asking anyone. */
export interface Surroundings {
  readonly catalog: CatalogSpec | undefined;
  /** If false, no operator or no worker runs: the last observation of the cluster may be outdated. */
  readonly observed: boolean;
  /** No worker lives that would execute jobs. */
  readonly workerStopped: boolean;
  readonly gateway: (databaseId: string) => GatewayHealth;
  /** Use of the database in the last minute; null: unknown. */
  readonly usage: (databaseId: string) => Usage | null;
  /** URL of the API without a path: `https://api.example.com`. */
  readonly publicUrl: string;
}

const stateWords = new Set(['READY', 'SUSPENDED']);

export function shownDatabase(view: DatabaseView, around: Surroundings): ShownDatabase {
  const { database, profile, activeJobId } = view;
  const { observed } = database;
  const version = observed?.engineVersion ?? profile.engineVersion;
  const engine = around.catalog?.engines.find((row) => row.name === profile.engine);
  const { clusterId } = database;
  return {
    id: database.id,
    organizationId: database.organizationId,
    name: database.name,
    clusterId,
    mode: database.mode,
    status: database.status,
    statusReason: database.statusReason,
    health: healthOf(view, around),
    ...choicesOf(profile),
    nodeCount: replicasOf[profile.clusterConfiguration as TopologyName],
    nodes: (observed?.nodes ?? []).map(({ index, status }) => ({
      index,
      ready: status === 'Ready',
      status,
    })),
    engine: {
      name: profile.engine as EngineName,
      version,
      ...updatesOf(engine, version),
    },
    gateway: around.gateway(database.id),
    connection: {
      identifier: database.name,
      httpUrl: `${around.publicUrl}/api/v1/databases/${database.id}/tb`,
      addresses: observed?.addresses ?? [],
      clusterId,
    },
    usage: placed(around.usage(database.id), observed),
    estimatedMonthlyPrice: priceOf(profile, around.catalog),
    limits: {
      maxEventsPerBatch: eventsMax,
      maxResults: rowsMax,
      maxRequestBytes: ledgerBodyMax,
    },
    deletionProtection: database.deletionProtection,
    labels: database.labels,
    activeProfileId: profile.id,
    activeJobId,
    version: database.version,
    createdAt: database.createdAt.toISOString(),
    createdBy: database.createdBy,
    updatedAt: database.updatedAt.toISOString(),
    readyAt: timeOf(database.readyAt),
    deletedAt: timeOf(database.deletedAt),
    purgeAt: timeOf(database.purgeAt),
  };
}

export const shownProfile = (view: DatabaseView, around: Surroundings): ShownProfile => ({
  id: view.profile.id,
  databaseId: view.database.id,
  revision: view.profile.revision,
  active: view.profile.active,
  // The active profile has the status of its database.
  status: view.database.status,
  health: healthOf(view, around),
  ...configurationOf(view.profile),
  createdAt: view.profile.createdAt.toISOString(),
  readyAt: timeOf(view.profile.readyAt),
});

/**
 * ETag that changes whenever the answer changes, through the row, the catalog, the operator or the gateway. It ignores the
 * latest measurements (of the gateway, of its use), as a weak ETag may; otherwise no two answers would be the same.
 */
export function etagOf(
  view: DatabaseView,
  shown: { readonly database: ShownDatabase; readonly profile: ShownProfile },
): string {
  const { latencyMs: _, checkedAt: _at, ...gateway } = shown.database.gateway;
  return etagOfDatabase(view, { ...shown, database: { ...shown.database, gateway, usage: null } });
}

/** ETag of an answer about a database. It has the database's version, so that writes take it as If-Match. */
export function etagOfDatabase({ database: { id, version } }: DatabaseView, shown: object): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(shown))
    .digest('base64url')
    .slice(0, 12);
  return `W/"${id}-${version}-${digest}"`;
}

/** The health as last observed; unknown while nobody observes. */
export function healthOf(
  { database }: DatabaseView,
  { observed }: Pick<Surroundings, 'observed'>,
): DatabaseHealth {
  if (!stateWords.has(database.status)) return 'UNKNOWN';
  return observed ? database.health : 'UNKNOWN';
}

function updatesOf(engine: EngineRow | undefined, runs: string) {
  const update = engine && updateOf(engine, runs);
  const forced = engine && forcedOf(engine, runs);
  return {
    latestVersion: update ?? engine?.defaultVersion ?? null,
    updateAvailable: update !== undefined,
    forcedUpdate:
      forced?.forcedAt === undefined
        ? null
        : { version: forced.version, forcedAt: new Date(forced.forcedAt).toISOString() },
  };
}

const choicesOf = (profile: Configuration) => ({
  provider: profile.provider,
  region: profile.region,
  clusterConfiguration: profile.clusterConfiguration as TopologyName,
  clusterSize: profile.clusterSize,
  storageTier: profile.storageTier,
  selectedStorageGb: profile.selectedStorageGb,
});

/** A configuration in the form for clients. */
export const configurationOf = (profile: Configuration) => ({
  ...choicesOf(profile),
  autogrow: autogrowOf(profile),
  continuousArchiving: archivingOf(profile),
  changeDataCapture: captureOf(profile),
  parameters: profile.parameters,
  engine: profile.engine as EngineName,
  engineVersion: profile.engineVersion,
  suspended: profile.suspended,
});

export function priceOf(profile: Profile, catalog: CatalogSpec | undefined) {
  if (profile.price === null) return null;
  const nodeCount = replicasOf[profile.clusterConfiguration as TopologyName];
  const today =
    catalog &&
    priceOfChoice(catalog, {
      ...choicesOf(profile),
      engine: profile.engine as EngineName,
      engineVersion: profile.engineVersion,
      parameters: profile.parameters,
      nodeCount,
    });
  // The price is the agreed one. It has lines only while the catalog still has the same price.
  const { currency, monthly: amount } = profile.price;
  const lines = today?.amount === amount && today.currency === currency ? today.lines : [];
  return { currency, amount, lines };
}

const timeOf = (time: Date | null): string | null => time?.toISOString() ?? null;
