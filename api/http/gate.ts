/** Checks before a route's handler: the caller's identity, rate limits and permission. */
import type { Request } from 'express';
import { DeadlineExceeded } from '../../base/deadline.ts';
import { authorize, otherDatabase } from '../auth/authorize.ts';
import type { Origin } from '../auth/authenticator.ts';
import { publicIdIn } from '../auth/api-key-format.ts';
import { credentialOf, type Credential } from '../auth/credentials.ts';
import { checkCsrf, checkOrigin } from '../auth/csrf.ts';
import type { Denial } from '../auth/denials.ts';
import { checkSuspension } from '../auth/suspension.ts';
import { isGuest, type Caller } from '../auth/principal.ts';
import { pathNumbers, pathParameters, type PathNumber } from '../contract/path-parameters.ts';
import { opensSocket, type RouteSpec } from '../contract/route.ts';
import type { OperationId } from '../contract/routes.ts';
import { isTypeId } from '../../domain/type-id.ts';
import type { RateLimits } from './rate-limits.ts';
import { networkOf } from './network.ts';
import { AccessChanged } from './access-changed.ts';
import { changeStreams, eventStreams, Streams, tunnels } from './streams.ts';
import { Refusal } from '../model/refusal.ts';

/** Dependencies of the gate: `api/auth/authenticator.ts`, and the store for databases. */
export interface GatePort {
  authenticate(credential: Credential, origin: Origin): Promise<Caller>;
  /** Whether the organization has the database; deleted ones that can be restored count too. */
  hasDatabase(organizationId: string, databaseId: string): Promise<boolean>;
  /** Reports an unsuccessful attempt of a valid credential. Returns at once. */
  denied(denial: Denial): void;
}

interface GateOptions extends GatePort {
  readonly limits: RateLimits;
  /** Our own origin, for requests of browsers; `undefined`: take it from the Host header. */
  readonly origin: string | undefined;
  readonly onWrongCredential: () => void;
  /** Interval between access checks of an open stream. */
  readonly streamCheckMs: number;
}

interface Asked {
  readonly request: Request;
  readonly requestId: string;
  readonly operationId: OperationId;
  readonly caller: Origin;
}

interface Admission {
  readonly principal: Caller;
}

export class Gate {
  readonly #options: GateOptions;
  readonly #streams = new Streams(eventStreams);
  readonly #tunnels = new Streams(tunnels);
  readonly #changeStreams = new Streams(changeStreams);

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * Authenticates a request that has no route but needs a credential. The limits of wrong credentials are checked only after a
   * credential was found to be wrong, so nobody can use up the requests of a valid one.
   */
  async identify(request: Request, origin: Origin): Promise<Caller> {
    const credential = credentialOf(request.headers);
    try {
      return await this.#options.authenticate(credential, origin);
    } catch (error) {
      await this.#countIfWrong(origin.ip, credential, error);
      throw error;
    }
  }

  /** Checks the rate limit for a secret in a body, which may be weaker than a key. Throws after too many wrong ones. */
  admitSecret(ip: string): void {
    this.#options.limits.check('secrets', networkOf(ip));
  }

  /**
   * Checks a request to a route without a credential. A route that changes something must take a secret in its body, or
   * requests could be forged. A signed body proves its sender, so wrong secrets from the same address do not count against it.
   */
  admitAnybody(request: Request, { ip }: Origin, route: RouteSpec): void {
    if (route.method === 'GET') return;
    if (route.body?.form !== 'signed') this.admitSecret(ip);
    checkOrigin(request.headers, this.#options.origin);
  }

  async admit(asked: Asked, route: RouteSpec): Promise<Admission> {
    const { request } = asked;
    const { origin } = this.#options;
    const principal = await this.identify(request, asked.caller);
    const headers = await this.#take(route, principal);
    // Set on refusals too, because they count.
    for (const [name, value] of headers) request.res?.setHeader(name, value);
    const csrfHash = principal.type === 'api_key' ? null : principal.csrfHash;
    if (csrfHash !== null && route.method !== 'GET') checkCsrf(request.headers, csrfHash, origin);
    // Browsers let any page open a WebSocket and read it, with the cookies of pages on the same site.
    if (csrfHash !== null && opensSocket(route)) checkOrigin(request.headers, origin);
    checkIds(request.params);
    try {
      await this.#authorize(route, principal, request.params['databaseId']);
      checkSuspension(route, principal);
    } catch (error) {
      if (error instanceof Refusal) this.#report(asked, principal, error, 'DENIED');
      throw error;
    }
    return { principal };
  }

  /** Reports a permitted change that was refused. The ledger's own requests are not recorded. */
  noteFailure(asked: Asked, route: RouteSpec, principal: Caller, error: unknown): void {
    if (route.method === 'GET' || route.body?.form === 'ledger') return;
    if (!(error instanceof Refusal) || error.code === 'rate_limited') return;
    // The outcome is unknown; if it was executed, its own event says so.
    if (error.occasion.cause instanceof DeadlineExceeded) return;
    this.#report(asked, principal, error, 'FAILED');
  }

  /** A caller without an organization has no audit log. */
  #report(
    { requestId, operationId, caller: { ip, userAgent } }: Asked,
    principal: Caller,
    { code }: Refusal,
    outcome: Denial['outcome'],
  ): void {
    if (isGuest(principal)) return;
    const author = { actor: principal.actor, requestId, ip, userAgent };
    this.#options.denied({ principal, author, action: operationId, code, outcome });
  }

  /**
   * Counts an open stream until `close` is called. `ended` aborts when its caller loses access or gets other rights: a client
   * then reopens the stream and is checked again. Throws when the caller has too many streams.
   */
  openStream(
    request: Request,
    route: RouteSpec,
    principal: Caller,
  ): { readonly ended: AbortSignal; readonly close: () => void } {
    const release = this.#streamsOf(route).take(principal);
    const ended = new AbortController();
    const timer = setInterval(() => {
      void this.#isStillAdmitted(request, route, principal).then(
        (is) => is || ended.abort(new AccessChanged()),
      );
    }, this.#options.streamCheckMs);
    const close = () => {
      clearInterval(timer);
      release();
    };
    return { ended: ended.signal, close };
  }

  #streamsOf({ responses, readsLedger }: RouteSpec): Streams {
    if (responses[101] !== undefined) return this.#tunnels;
    return readsLedger === true ? this.#changeStreams : this.#streams;
  }

  /** Returns true if the check itself fails: such a failure says nothing about the access. */
  async #isStillAdmitted(request: Request, route: RouteSpec, before: Caller): Promise<boolean> {
    try {
      const now = await this.#options.authenticate(
        credentialOf(request.headers),
        callerOf(request),
      );
      await this.#authorize(route, now, request.params['databaseId']);
      return accessOf(now) === accessOf(before);
    } catch (error) {
      return !(error instanceof Refusal);
    }
  }

  /** Takes a ledger request from the organization's rate limits. Returns the time to wait before it may be sent, in ms. */
  async ledgerWaitMs(principal: Caller, bytes: number, events: number): Promise<number> {
    const { limits } = this.#options;
    try {
      await limits.take('ledger', principal.organization?.id ?? principal.credentialId);
      await this.admitBytes(principal, bytes);
      await this.admitEvents(principal, events);
      return 0;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return 1_000 * (error.occasion.retryAfterSeconds ?? 1);
    }
  }

  /** Takes the size of a ledger request's body from the organization's rate limit. */
  admitBytes(principal: Caller, bytes: number): Promise<void> {
    const who = principal.organization?.id ?? principal.credentialId;
    return this.#options.limits.take('ledger-bytes', who, bytes);
  }

  /** Takes the events of a ledger request, or the records that it may answer with, from the organization's rate limit. */
  admitEvents(principal: Caller, events: number): Promise<void> {
    const who = principal.organization?.id ?? principal.credentialId;
    return this.#options.limits.take('ledger-events', who, events);
  }

  /** Counts a wrong secret that was sent in a body. */
  countIfWrong(ip: string, error: unknown): void {
    if (!isWrong(error)) return;
    this.#options.onWrongCredential();
    this.#options.limits.count('secrets', networkOf(ip));
  }

  /** Takes one request from the rate limit. Each credential has its own limit; routes that end access have a separate one. */
  async #take(route: RouteSpec, principal: Caller) {
    const { limits } = this.#options;
    const { credentialId } = principal;
    const organizationId = principal.organization?.id ?? credentialId;
    // Clients reconnect all at once when a process ends.
    const { body, readsLedger } = route;
    const isOfLedger = body?.form === 'ledger' || readsLedger === true || opensSocket(route);
    if (isOfLedger) return limits.takeAndTell('ledger', organizationId);
    if (route.endsAccess === true) return limits.takeAndTell('revocation', credentialId);
    const points = route.countsAs ?? 1;
    if (principal.type === 'api_key')
      await limits.take('organization-keys', organizationId, points);
    return limits.takeAndTell('control', credentialId, points);
  }

  /** Counts a wrong credential by address and named key, and by address alone, which bounds the number of counters. */
  async #countIfWrong(ip: string, credential: Credential, error: unknown): Promise<void> {
    if (!isWrong(error)) return;
    const { limits, onWrongCredential } = this.#options;
    onWrongCredential();
    const network = networkOf(ip);
    const named = credential.kind === 'token' ? publicIdIn(credential.text) : undefined;
    await limits.take('addresses', network);
    await limits.take('credentials', `${network} ${named ?? ''}`);
  }

  async #authorize(route: RouteSpec, principal: Caller, databaseId: unknown): Promise<void> {
    if (route.access.kind === 'public') return;
    const id = typeof databaseId === 'string' ? databaseId : undefined;
    const authorization = authorize(route.access, principal, id);
    if (authorization.kind === 'refused') throw authorization.refusal;
    if (authorization.kind === 'other_database' && !isGuest(principal)) {
      const other = authorization.databaseId;
      const known = await this.#options.hasDatabase(principal.organization.id, other);
      throw known ? otherDatabase(other) : notThere('databaseId', other);
    }
  }
}

/** The caller's access as a string, for comparison. */
const accessOf = (caller: Caller): string =>
  JSON.stringify([
    caller.credentialId,
    caller.organization?.id,
    caller.organization?.status,
    caller.type === 'api_key'
      ? [caller.permissions, caller.databaseScope]
      : [caller.role, isGuest(caller) ? null : caller.databaseIds],
  ]);

const isWrong = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'invalid_credentials';

export function callerOf(request: Request): Origin {
  const organizationId = request.headers['x-organization-id'];
  if (organizationId !== undefined && !isTypeId('org', String(organizationId))) {
    throw new Refusal('invalid_parameter', {
      detail: 'The header X-Organization-Id must be an organization’s ID, org_….',
      errors: [
        { header: 'X-Organization-Id', code: 'invalid_format', detail: 'Must be an ID, org_….' },
      ],
    });
  }
  return {
    ip: request.ip ?? '',
    userAgent: request.headers['user-agent']?.slice(0, 300) ?? null,
    organizationId: organizationId === undefined ? undefined : String(organizationId),
  };
}

/** An invalid ID is treated as not found. */
function checkIds(params: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(params)) {
    if (Object.hasOwn(pathNumbers, name)) {
      checkNumber(name as PathNumber, String(value));
      continue;
    }
    const known = pathParameters[name as keyof typeof pathParameters];
    if (!isTypeId(known.prefix, String(value))) {
      throw notThere(name as keyof typeof pathParameters, String(value));
    }
  }
}

function checkNumber(name: PathNumber, value: string): void {
  const { minimum, maximum } = pathNumbers[name];
  const number = /^(0|[1-9]\d{0,4})$/.test(value) ? Number(value) : -1;
  if (number >= minimum && number <= maximum) return;
  const detail = `Must be a number from ${minimum} to ${maximum}.`;
  throw new Refusal('invalid_parameter', {
    detail: `${name}: ${detail}`,
    errors: [{ parameter: name, code: 'out_of_range', detail }],
  });
}

export function notThere(name: keyof typeof pathParameters, value: string): Refusal {
  const { notFound, noun, prefix } = pathParameters[name];
  const detail = isTypeId(prefix, value)
    ? `The ${noun} ${value} does not exist.`
    : `“${value.slice(0, 80)}” is not the ID of a ${noun}. Use the ID (${prefix}_…), not a name.`;
  return new Refusal(notFound, { detail });
}
