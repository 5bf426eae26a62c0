/**
 * The HTTP assembly: builds one application from the route table and the areas' handlers.
 *
 * To add an area: its routes are in `api/contract/routes/<area>.ts`. Its handlers are a function in `api/<area>/handlers.ts`:
 * it takes their dependencies (store, cluster view, gateway …) and returns a `HandlersOf<typeof areaRoutes>`, one method per
 * operationId. `api/api.ts` joins all areas to a `Handlers`; a missing handler does not compile. A handler gets a request that
 * was checked against the contract (`http/handler.ts`), returns a status and a body of its row, and throws a `Refusal` for
 * everything else. It needs no try/catch: `problem-response.ts` knows the failures of store and network. The access rules of
 * the table were checked before. The handler makes the checks that need the store: it calls `seesDatabase` for a job's or an
 * event's database, and treats things of another organization as not found (`notThere`).
 *
 * The order of each request: credential, rate limit, CSRF, IDs, permission, query, body, handler.
 */
import express, { type Express, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import { systemTimers } from '../../base/timers.ts';
import type { Trace, Tracer } from '../../base/tracing/tracer.ts';
import type { Caller } from '../auth/principal.ts';
import { namesInPath } from '../contract/path-parameters.ts';
import { routeEntries, routes as contractRoutes, type OperationId } from '../contract/routes.ts';
import { ledgerOperations } from '../ledger/operations.ts';
import type { ApiMetrics } from './api-metrics.ts';
import { AnonymousBodies } from './anonymous-bodies.ts';
import { BodyBudget, bodyLimitDefaults } from './body-budget.ts';
import type { ByteLimits } from './held-bytes.ts';
import { ClientGone } from './client-gone.ts';
import { compressIfLarge } from './compress.ts';
import { dispatch, type AnyHandler } from './dispatch.ts';
import { addDocumentation } from './documentation.ts';
import { callerOf, Gate, type GatePort } from './gate.ts';
import type { Handlers } from './handler.ts';
import { networkOf } from './network.ts';
import { problemContentType, problemResponse, refusalOf } from './problem-response.ts';
import { RateLimits, type RateLimitSettings } from './rate-limits.ts';
import { isStream, streamsOf } from './accepted.ts';
import { Refusal } from '../model/refusal.ts';
import { onBehalfOf } from '../store/connection-shares.ts';
import { requestIdOf } from './request-id.ts';
import { ShapedRoutes } from './shaped-routes.ts';
import { streamCheckMs } from './streams.ts';
import { securityHeaders, strictTransport } from './security-headers.ts';

interface AppOptions {
  readonly handlers: Handlers;
  readonly gate: GatePort;
  readonly limits: RateLimitSettings;
  readonly bodyLimits?: ByteLimits;
  /** Limits of the large answers that are held at once; by default the same as those of bodies. */
  readonly answerLimits?: ByteLimits;
  /** Time for a client to take an answer; 60 s by default, as long as a request may take to arrive. */
  readonly answerMs?: number;
  readonly metrics: ApiMetrics;
  /** `undefined`: requests are not traced. */
  readonly tracer?: Tracer | undefined;
  readonly logger: Logger;
  /** The OpenAPI document, for the reference page. */
  readonly document: Readonly<Record<string, unknown>>;
  /** Base address of the pages about problems; only a path when the service does not know its own address. */
  readonly docsUrl: string;
  /** Public address of the service, `https://…`; `undefined`: take it from the request. */
  readonly origin: string | undefined;
  /** Proxies whose X-Forwarded-For header is trusted: addresses, ranges, or `loopback`. */
  readonly trustedProxies: readonly string[];
  /** Aborts when the process is to end; open streams then end too. */
  readonly stopping: AbortSignal;
  /** Interval between access checks of an open stream; by default `streamCheckMs`. */
  readonly streamCheckMs?: number;
  /** Adds pages and endpoints that are not in the route table. */
  readonly addPages?: (app: Express, gate: Gate) => void;
}

interface Locals {
  requestId: string;
  startedMs: number;
  operationId?: OperationId;
  trace?: Trace | undefined;
  principal?: Caller;
  code?: string;
  gone: AbortController;
}

/** Time to read the rest of a body that was refused. */
const lingerMs = 5_000;

const securityHeaderRows = Object.entries(securityHeaders);

const localsOf = (response: Response) => response.locals as Locals;

export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false);
  app.set('trust proxy', [...options.trustedProxies]);
  const limits = new RateLimits(options.limits, (policy) => options.metrics.rateLimited(policy));
  const gate = new Gate({
    authenticate: (credential, caller) => options.gate.authenticate(credential, caller),
    hasDatabase: (organization, id) => options.gate.hasDatabase(organization, id),
    denied: (denial) => options.gate.denied(denial),
    limits,
    origin: options.origin,
    streamCheckMs: options.streamCheckMs ?? streamCheckMs,
    onWrongCredential: () => options.metrics.credentialRefused(),
  });
  app.use((request, response, next) => {
    begin(request, response, options);
    // Until the caller is known, calls to the store count for the network, so that wrong credentials leave connections to others.
    onBehalfOf(`network ${networkOf(request.ip ?? '')}`, next);
  });
  app.use(routesOf(options, gate).handle);
  app.use((request, response, next) => {
    compressIfLarge(request, response);
    next();
  });
  addDocumentation(app, options);
  options.addPages?.(app, gate);
  app.use((request: Request) => {
    throw new Refusal('not_found', {
      detail: `The path ${request.path.slice(0, 200)} does not exist. /docs/openapi lists all paths.`,
    });
  });
  app.use((error: unknown, request: Request, response: Response, _next: unknown) => {
    fail(error, request, response, options);
  });
  return app;
}

function begin(request: Request, response: Response, options: AppOptions): void {
  const locals = localsOf(response);
  locals.requestId = requestIdOf(request.headers['x-request-id']?.toString());
  locals.startedMs = performance.now();
  locals.gone = new AbortController();
  locals.trace = options.tracer?.begin(
    request.headers['traceparent']?.toString(),
    request.headers['tracestate']?.toString(),
  );
  // Not by `set`, which costs five times as much.
  for (const [name, value] of securityHeaderRows) response.setHeader(name, value);
  response.setHeader('X-Request-Id', locals.requestId);
  if (options.origin?.startsWith('https:') === true) {
    response.set('Strict-Transport-Security', strictTransport);
  }
  if (options.stopping.aborted) response.set('Connection', 'close');
  options.metrics.began();
  response.once('close', () => {
    const isGone = !response.writableFinished && response.statusCode !== 101;
    if (isGone) locals.gone.abort(new ClientGone());
    const tookMs = performance.now() - locals.startedMs;
    const status = isGone ? 0 : response.statusCode;
    options.metrics.ended(locals.operationId, status, tookMs / 1_000);
    if (locals.trace !== undefined) endTrace(locals, request.method, status);
    options.logger.info(
      {
        requestId: locals.requestId,
        operation: locals.operationId,
        method: request.method,
        status,
        code: locals.code,
        ms: Math.round(tookMs * 10) / 10,
        ip: request.ip,
        organizationId: locals.principal?.organization?.id,
        credentialId: locals.principal?.credentialId,
        ...(isGone && { gone: true }),
        ...(locals.trace?.recorded === true && { traceId: locals.trace.traceId }),
      },
      'answered',
    );
  });
}

/** `status` is 0 when the client had gone. Paths stay out: some hold what is secret. */
function endTrace(locals: Locals, method: string, status: number): void {
  const { operationId } = locals;
  const route = operationId && contractRoutes[operationId].path;
  const errorType = status === 0 ? 'client_gone' : locals.code;
  locals.trace?.end({
    name: route === undefined ? method : `${method} ${route}`,
    failed: status >= 500,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status === 0 ? undefined : status,
      'error.type': errorType,
      'ledgerhouse.operation': operationId,
      'ledgerhouse.request_id': locals.requestId,
      'ledgerhouse.organization_id': locals.principal?.organization?.id,
      'ledgerhouse.credential_id': locals.principal?.credentialId,
    },
  });
}

function routesOf(options: AppOptions, gate: Gate): ShapedRoutes {
  const routes = new ShapedRoutes();
  const bodies = {
    budget: new BodyBudget(options.bodyLimits ?? bodyLimitDefaults),
    anonymous: new AnonymousBodies(),
    answers: new BodyBudget(options.answerLimits ?? bodyLimitDefaults, 'answers'),
    answerMs: options.answerMs ?? 60_000,
  };
  // Paths with fewer parameters come first, so that `/members/leave` is not read as a member ID.
  const paths = [...Map.groupBy(routeEntries, ([, { path }]) => path)].sort(
    ([a], [b]) => namesInPath(a).length - namesInPath(b).length,
  );
  for (const [template, entries] of paths) {
    const path = template.replaceAll(/\{(\w+)\}/g, ':$1');
    const routesAt = routes.at(path).route(path);
    for (const [operationId, route] of entries) {
      const handler = options.handlers[operationId] as AnyHandler;
      const add = route.method.toLowerCase() as Lowercase<typeof route.method>;
      const streams = streamsOf(route);
      routesAt[add](async (request, response) => {
        const locals = localsOf(response);
        locals.operationId = operationId;
        const stream = isStream(request, streams);
        const gone = endOf(locals.gone.signal, options.stopping, stream);
        const { requestId, trace } = locals;
        const exchange = {
          request,
          response,
          requestId,
          trace,
          operationId,
          gone,
          isStream: stream,
          bodies,
        };
        await dispatch(exchange, route, handler, gate);
      });
    }
    const allowed = entries.flatMap(([, { method }]) => withHead(method));
    routesAt.all((request) => {
      throw new Refusal('method_not_allowed', {
        detail: `${request.method} is not allowed here. Use ${allowed.join(', ')}.`,
        headers: { Allow: allowed.join(', ') },
      });
    });
  }
  const unknownOperation = '/api/v1/databases/:databaseId/tb/:operation';
  routes.at(unknownOperation).all(unknownOperation, async (request) => {
    await gate.identify(request, callerOf(request));
    const allowedOperations = Object.keys(ledgerOperations);
    throw new Refusal('unknown_operation', {
      detail: `The operation “${String(request.params['operation']).slice(0, 80)}” does not exist. Use one of ${allowedOperations.join(', ')}.`,
      members: { allowedOperations },
    });
  });
  return routes;
}

const withHead = (method: string): readonly string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];

/** Signal that ends a request: a stream ends when the process stops; every other request is answered first. */
const endOf = (gone: AbortSignal, stopping: AbortSignal, stream: boolean): AbortSignal =>
  stream ? AbortSignal.any([gone, stopping]) : gone;

function fail(error: unknown, request: Request, response: Response, options: AppOptions): void {
  const locals = localsOf(response);
  const refusal = error instanceof ClientGone ? undefined : refusalOf(error);
  if (refusal === undefined || response.headersSent) {
    if (refusal?.code === 'internal_error') log(options.logger, locals, error);
    response.destroy();
    return;
  }
  if (refusal.code === 'internal_error' || refusal.code === 'service_unavailable') {
    log(options.logger, locals, refusal.occasion.cause ?? error);
  }
  locals.code = refusal.code;
  const { path } = request;
  const { status, headers, body } = problemResponse(refusal, {
    docsUrl: options.docsUrl,
    path,
    requestId: locals.requestId,
  });
  response.status(status).set({
    'Cache-Control': 'no-store',
    'Content-Type': problemContentType,
    ...headers,
  });
  compressIfLarge(request, response, Buffer.byteLength(body));
  if (request.complete) response.end(body);
  else endAfterBody(request, response, body);
}

/**
 * Answers at once, then reads the rest of the request body for a while. If the connection were closed earlier, it would be reset
 * and the client would see a broken pipe instead of its answer.
 */
function endAfterBody(request: Request, response: Response, body: string): void {
  response.set('Content-Length', String(Buffer.byteLength(body)));
  response.write(body);
  const end = () => {
    cancel();
    response.end();
  };
  const cancel = systemTimers.after(lingerMs, end);
  request.once('end', end).once('close', end).resume();
}

function log(logger: Logger, { requestId, operationId }: Locals, error: unknown): void {
  logger.error({ err: error, requestId, operation: operationId }, 'a request failed');
}
