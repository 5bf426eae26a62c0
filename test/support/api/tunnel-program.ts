/**
 * A process with the HTTP assembly of the API, its tunnels, ledger operations and change events, for one database whose engine runs
 * elsewhere. Keys are called by their rights (`full`, `read`, `write`); `person` is a person's access token. A credential that the file
 * `revoked` names is no longer valid, and a person's writes cannot be recorded if it names `records`.
 * Everything else of the API, such as its store, is covered by the tests of the whole service.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { MetricRegistry } from '../../../base/metrics/metrics.ts';
import { startHealthServer } from '../../../base/health-server.ts';
import { documentDefaults } from '../../../api/contract/document-defaults.ts';
import { openapiDocument } from '../../../api/contract/document.ts';
import { databaseExample, profileExample } from '../../../api/contract/schemas/database.ts';
import type { KeyPrincipal, MemberPrincipal, Principal } from '../../../api/auth/principal.ts';
import { changeEventHandlers } from '../../../api/change-events/handlers.ts';
import { CheckIds } from '../../../api/connections/check-ids.ts';
import { ConnectionWatch, watchHttp } from '../../../api/connections/watch.ts';
import { Gateway } from '../../../api/gateway/gateway.ts';
import type { Author } from '../../../api/model/actor.ts';
import { ledgerHandlers, type PersonsWrite } from '../../../api/gateway/handlers.ts';
import type { LedgerTargets } from '../../../api/gateway/targets.ts';
import { createApiMetrics } from '../../../api/http/api-metrics.ts';
import { createApp } from '../../../api/http/app.ts';
import type { Handlers } from '../../../api/http/handler.ts';
import { rateLimitDefaults, type RateLimitSettings } from '../../../api/http/rate-limits.ts';
import type { ByteLimits } from '../../../api/http/held-bytes.ts';
import { startServer } from '../../../api/http/server.ts';
import type { Permission } from '../../../api/model/access.ts';
import type { ConnectionTrouble, ObservedLookup } from '../../../api/model/connection-check.ts';
import { Refusal } from '../../../api/model/refusal.ts';
import { tunnelHandlers } from '../../../api/tunnel/handlers.ts';
import type { TunnelTimes } from '../../../api/tunnel/tunnel.ts';
import { Tunnels } from '../../../api/tunnel/tunnels.ts';
import { TunnelUsage } from '../../../api/tunnel/usage.ts';
import { SigningKeys } from '../../../api/store/signing-keys.ts';
import { newTypeId } from '../../../domain/type-id.ts';

export interface TunnelProgramOptions {
  readonly port: number;
  readonly cluster: string;
  readonly addresses: readonly string[];
  readonly engine: string;
  readonly engineVersion: string;
  /** Folder of the file `revoked`. */
  readonly folder: string;
  readonly streamCheckMs?: number;
  readonly times?: Partial<TunnelTimes>;
  readonly limits?: Partial<RateLimitSettings>;
  readonly unsentLimits?: ByteLimits;
}

const options = JSON.parse(process.argv[2] ?? '{}') as TunnelProgramOptions;
const logger = pino({ base: null }, pino.destination(1));
const organization = {
  id: newTypeId('org'),
  slug: 'acme',
  name: 'Acme',
  namespace: 'org-acme',
  status: 'ACTIVE',
  databasesMax: null,
  maintenanceWindow: null,
  suspendedAt: null,
  suspensionReason: null,
  auditRetentionDays: 400,
  deletedAt: null,
  purgeAt: null,
  purgedAt: null,
  version: 1,
  createdBy: { type: 'system', id: null, display: 'test' },
  createdAt: new Date(0),
  updatedAt: new Date(0),
} as const;

const key = (name: string, permissions: readonly Permission[]): KeyPrincipal => ({
  type: 'api_key',
  credentialId: `key_${name}`,
  name,
  expiresAt: null,
  organization,
  actor: { type: 'api_key', id: `key_${name}`, display: name },
  permissions,
  databaseScope: { type: 'ALL' },
});
const person: MemberPrincipal = {
  type: 'access_token',
  credentialId: 'ses_person',
  name: 'a laptop',
  expiresAt: null,
  organization,
  actor: { type: 'user', id: null, display: 'Ada' },
  user: null,
  administrator: false,
  csrfHash: null,
  role: 'owner',
  databaseIds: null,
};
const principals: Readonly<Record<string, Principal>> = {
  person,
  full: key('full', ['db:read', 'db:write']),
  read: key('read', ['db:read']),
  write: key('write', ['db:write']),
};

function isRevoked(name: string): boolean {
  const file = join(options.folder, 'revoked');
  return existsSync(file) && readFileSync(file, 'utf8').split('\n').includes(name);
}

const registry = new MetricRegistry();
const usage = new TunnelUsage(async (author, work) => {
  const emit = (event: unknown) => logger.info({ author, event }, 'event');
  return work({ emit } as never);
}, logger);
const noStore = {
  get read(): never {
    throw new Error('there is no store');
  },
};
/** Tells the log instead of the store. */
class LoggedWatch extends ConnectionWatch {
  override observed(databaseId: string, ids: readonly bigint[], lookup: ObservedLookup): void {
    logger.info({ databaseId, ids: ids.map(String), lookup }, 'verified');
  }

  override trouble(databaseId: string, trouble: ConnectionTrouble): void {
    logger.info({ databaseId, trouble }, 'trouble');
  }
}
const watch = new LoggedWatch(
  new CheckIds(new SigningKeys([Buffer.alloc(32, 1)])),
  noStore,
  logger,
);
const targets: Pick<LedgerTargets, 'resolve'> = {
  resolve: async (_organizationId, databaseId) => ({
    databaseId,
    cluster: BigInt(options.cluster),
    version: 0,
    addresses: options.addresses.map((text) => {
      const [host = '', port = ''] = text.split(':');
      return { host, port: Number(port) };
    }),
    name: 'payments',
    engine: options.engine,
    engineVersion: options.engineVersion,
    streams: false,
  }),
};
const places = {
  gateway: new Gateway({ logger, registry }),
  targets: targets as LedgerTargets,
  whySuspended: async () => undefined,
};
const personWrites = async (author: Author, { operation, events }: PersonsWrite) => {
  if (isRevoked('records')) throw new Error('the store is away');
  logger.info({ author, operation, events }, 'recorded');
};
const handlers = {
  ...tunnelHandlers({
    personWrites,
    tunnels: new Tunnels({
      registry,
      logger,
      usage,
      watch,
      gateway: places.gateway,
      times: options.times ?? {},
      ...(options.unsentLimits !== undefined && { unsentLimits: options.unsentLimits }),
    }),
    targets: targets as LedgerTargets,
    denied: ({ action, code }) => logger.info({ action, code }, 'denied'),
  }),
  ...changeEventHandlers(places),
  ...ledgerHandlers({
    ...places,
    personWrites,
    lookedUp: (lookup) => watchHttp(watch, lookup),
    finished: () => {},
  }),
  getDatabase: async () => ({
    status: 200 as const,
    body: {
      database: {
        ...databaseExample,
        name: 'payments',
        clusterId: options.cluster,
        connection: {
          ...databaseExample.connection,
          addresses: [...options.addresses],
          clusterId: options.cluster,
        },
      },
      profile: profileExample,
    },
  }),
} as unknown as Handlers;

const stopping = new AbortController();
const app = createApp({
  handlers,
  gate: {
    authenticate: async (credential) => {
      const name = credential.kind === 'token' ? credential.text : '';
      const principal = Object.hasOwn(principals, name) ? principals[name] : undefined;
      if (principal !== undefined && !isRevoked(name)) return principal;
      throw new Refusal('invalid_credentials', { detail: 'The key is not valid.' });
    },
    hasDatabase: async () => true,
    denied: ({ action, code }) => logger.info({ action, code }, 'denied'),
  },
  limits: { ...rateLimitDefaults, ...options.limits },
  metrics: createApiMetrics(),
  logger,
  document: openapiDocument({ version: '0.1.0', ...documentDefaults }),
  docsUrl: '/docs',
  origin: undefined,
  trustedProxies: ['loopback'],
  stopping: stopping.signal,
  ...(options.streamCheckMs !== undefined && { streamCheckMs: options.streamCheckMs }),
});
const server = await startServer(app, {
  host: '127.0.0.1',
  port: options.port,
  docsUrl: '/docs',
});
const health = await startHealthServer({
  host: '127.0.0.1',
  port: 0,
  live: () => [],
  ready: () => [],
  metrics: () => registry.text(),
});
logger.info({ port: server.port, healthPort: health.port }, 'started');

process.once('SIGTERM', () => {
  stopping.abort();
  void (async () => {
    await server.stop(5_000);
    places.gateway.close();
    await usage.stop();
    await health.stop();
  })();
});
