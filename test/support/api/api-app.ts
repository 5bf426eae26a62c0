/**
 * The HTTP assembly on a free port of the loopback, with handlers that answer with the documented examples: the tests cover
 * everything before and behind the handlers. Every answer that goes through `ask` is judged by the document.
 */
import pino from 'pino';
import { expect } from '@jest/globals';
import { openapiDocument } from '../../../api/contract/document.ts';
import { documentDefaults } from '../../../api/contract/document-defaults.ts';
import { routeEntries, type OperationId } from '../../../api/contract/routes.ts';
import type { Role } from '../../../api/model/access.ts';
import type { RouteSpec } from '../../../api/contract/route.ts';
import type { Credential } from '../../../api/auth/credentials.ts';
import { hashOf } from '../../../api/auth/api-key-format.ts';
import type { Principal } from '../../../api/auth/principal.ts';
import {
  pathNumbers,
  pathParameters,
  type PathNumber,
  type PathParameter,
} from '../../../api/contract/path-parameters.ts';
import { createApiMetrics } from '../../../api/http/api-metrics.ts';
import type { ByteLimits } from '../../../api/http/held-bytes.ts';
import type { ConnectionCaps } from '../../../api/http/connection-caps.ts';
import { createApp } from '../../../api/http/app.ts';
import type { Tracer } from '../../../base/tracing/tracer.ts';
import type { GatePort } from '../../../api/http/gate.ts';
import type { Handlers } from '../../../api/http/handler.ts';
import { rateLimitDefaults, type RateLimitSettings } from '../../../api/http/rate-limits.ts';
import { Refusal } from '../../../api/model/refusal.ts';
import { startServer } from '../../../api/http/server.ts';
import { undocumented } from './openapi.ts';

export const databaseId = 'db_01jd8f3zk5e0v9t3m2q6r8w4x0';
export const otherDatabaseId = 'db_01jd8f3zk5e0v9t3m2q6r8w4x1';
export const foreignDatabaseId = 'db_01jd8f3zk5e0v9t3m2q6r8w4x2';
const organizationId = 'org_01jd8f3zk5e0v9t3m2q6r8w4x0';

const system = { type: 'system', id: null, display: 'test' } as const;
const organization = {
  id: organizationId,
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
  createdBy: system,
  createdAt: new Date(0),
  updatedAt: new Date(0),
} as const;

const key = (
  name: string,
  permissions: readonly ('db:read' | 'db:write')[],
  database?: string,
): Principal => ({
  type: 'api_key',
  credentialId: `key_${name}`,
  name,
  expiresAt: null,
  organization,
  actor: { type: 'api_key', id: `key_${name}`, display: name },
  permissions,
  databaseScope:
    database === undefined ? { type: 'ALL' } : { type: 'DATABASE', databaseId: database },
});

const person = (role: Role): Principal => ({
  type: 'session',
  credentialId: `ses_${role}`,
  name: role,
  expiresAt: null,
  organization,
  actor: { type: 'user', id: null, display: role },
  user: null,
  role,
  databaseIds: null,
  administrator: role === 'owner',
  csrfHash: hashOf('csrf'),
});

/** Principals by the API key, or by the session cookie, that a request sends. */
export const principals: Readonly<Record<string, Principal>> = {
  full: key('full', ['db:read', 'db:write']),
  read: key('read', ['db:read']),
  write: key('write', ['db:write']),
  one: key('one', ['db:read', 'db:write'], databaseId),
  other: key('other', ['db:read', 'db:write'], otherDatabaseId),
  owner: person('owner'),
  admin: person('admin'),
  developer: person('developer'),
  viewer: person('viewer'),
  billing: person('billing'),
};

const gate: GatePort = {
  authenticate: async (credential: Credential) => {
    if (credential.kind === 'none') {
      throw new Refusal('authentication_required', { detail: 'None.' });
    }
    if (credential.kind === 'conflict') {
      throw new Refusal('conflicting_credentials', { detail: 'Two.' });
    }
    const name =
      credential.kind === 'token'
        ? credential.text
        : credential.kind === 'session'
          ? credential.token
          : '';
    const known = Object.hasOwn(principals, name) ? principals[name] : undefined;
    const isKey = known?.type === 'api_key';
    if (known === undefined || isKey !== (credential.kind === 'token')) {
      throw new Refusal('invalid_credentials', { detail: 'Wrong.' });
    }
    return known;
  },
  hasDatabase: async (_organization, id) => id !== foreignDatabaseId,
  denied: () => {},
};

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

function exampleHandler(route: RouteSpec) {
  const answers = Object.entries(route.responses);
  const [status, response] =
    answers.findLast(([, { form }]) => form !== 'empty') ?? answers[0] ?? [];
  const head = { status: Number(status) };
  return async () => {
    const [text] = Object.entries(response?.textTypes ?? {});
    if (response?.example === undefined && text !== undefined) {
      const [contentType, example] = text;
      return { ...head, bytes: new TextEncoder().encode(example), contentType };
    }
    if (response?.form === 'bytes') {
      return { ...head, bytes: encode(response.example), contentType: 'application/json' };
    }
    if (response?.form === 'events') {
      return { ...head, events: threeEvents(response.example) };
    }
    const etag = route.conditional === 'read' ? { etag: 'W/"example-1"' } : {};
    return response?.form === 'json' ? { ...head, ...etag, body: response.example } : head;
  };
}

async function* threeEvents(data: unknown) {
  for (const id of ['1', '2', '3']) yield { id, event: 'job', data };
}

export const exampleHandlers = Object.fromEntries(
  routeEntries.map(([id, route]) => [id, exampleHandler(route)]),
) as unknown as Handlers;

export interface TestApp {
  readonly url: string;
  readonly log: readonly Readonly<Record<string, unknown>>[];
  metrics(): Promise<string>;
  /** Sends a request. Judges the answer by the document if the operation is named. */
  ask(path: string, options?: Asked): Promise<Answered>;
  stop(waitMs?: number): Promise<boolean>;
}

interface Asked {
  readonly operation?: OperationId;
  readonly method?: string;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}
interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export async function startTestApp(
  options: {
    handlers?: Partial<Handlers>;
    limits?: Partial<RateLimitSettings>;
    gate?: Partial<GatePort>;
    streamCheckMs?: number;
    trustedProxies?: readonly string[];
    bodyLimits?: ByteLimits;
    answerLimits?: ByteLimits;
    answerMs?: number;
    caps?: ConnectionCaps;
    tracer?: Tracer;
    addPages?: Parameters<typeof createApp>[0]['addPages'];
  } = {},
): Promise<TestApp> {
  const log: Record<string, unknown>[] = [];
  const logger = pino({ base: null }, { write: (line) => void log.push(JSON.parse(line)) });
  const metrics = createApiMetrics();
  const stopping = new AbortController();
  const app = createApp({
    handlers: { ...exampleHandlers, ...options.handlers },
    gate: { ...gate, ...options.gate },
    limits: {
      ...rateLimitDefaults,
      controlPerMinute: 1e6,
      wrongCredentialsPerMinute: 1e6,
      ...options.limits,
    },
    metrics,
    tracer: options.tracer,
    logger,
    document: openapiDocument({ version: '0.1.0', ...documentDefaults }),
    docsUrl: '/docs',
    origin: undefined,
    trustedProxies: options.trustedProxies ?? [],
    ...(options.bodyLimits !== undefined && { bodyLimits: options.bodyLimits }),
    ...(options.answerLimits !== undefined && { answerLimits: options.answerLimits }),
    ...(options.answerMs !== undefined && { answerMs: options.answerMs }),
    ...(options.streamCheckMs !== undefined && { streamCheckMs: options.streamCheckMs }),
    ...(options.addPages !== undefined && { addPages: options.addPages }),
    stopping: stopping.signal,
  });
  const server = await startServer(app, {
    host: '127.0.0.1',
    port: 0,
    docsUrl: '/docs',
    ...(options.caps !== undefined && { caps: options.caps }),
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    log,
    metrics: () => metrics.registry.text(),
    ask: (path, asked) => ask(url, path, asked),
    stop: (waitMs = 1_000) => {
      stopping.abort();
      return server.stop(waitMs);
    },
  };
}

/** The credential of this principal. */
export const headersOf = (name: string | undefined): Readonly<Record<string, string>> => {
  if (name === undefined) return {};
  return principals[name]?.type === 'session'
    ? { cookie: `__Host-session=${name}; __Host-csrf=csrf`, 'x-csrf-token': 'csrf' }
    : { 'x-api-key': name };
};

async function ask(url: string, path: string, asked: Asked = {}): Promise<Answered> {
  const { operation, method = 'GET', as, headers, body } = asked;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...headersOf(as),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  if (operation !== undefined) {
    const wrong = undocumented(operation, response, text);
    expect({ operation, status: response.status, wrong }).toEqual({
      operation,
      status: response.status,
      wrong: [],
    });
  }
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: (isJson && text !== '' ? JSON.parse(text) : {}) as Answered['json'],
  };
}

/** The route's path with IDs and numbers that fit. */
export const pathOf = (route: RouteSpec): string =>
  route.path.replace('{databaseId}', databaseId).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (Object.hasOwn(pathNumbers, name)) return String(pathNumbers[name as PathNumber].minimum);
    const { prefix } = pathParameters[name as PathParameter];
    return `${prefix}_01jd8f3zk5e0v9t3m2q6r8w4x0`;
  });
