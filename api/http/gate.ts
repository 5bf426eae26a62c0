/** Before a route's handler: who asks, how much they have asked for, and whether they may. */
import type { Request } from 'express';
import { authorize, otherDatabase } from '../auth/authorize.ts';
import type { Origin } from '../auth/authenticator.ts';
import { credentialOf, type Credential } from '../auth/credentials.ts';
import { checkCsrf, checkOrigin } from '../auth/csrf.ts';
import type { Denial } from '../auth/denials.ts';
import { isGuest, type Caller } from '../auth/principal.ts';
import { pathParameters } from '../contract/path-parameters.ts';
import type { RouteSpec } from '../contract/route.ts';
import type { OperationId } from '../contract/routes.ts';
import { isTypeId } from '../../domain/type-id.ts';
import type { RateLimits } from './rate-limits.ts';
import { Refusal } from '../model/refusal.ts';

/** What the gate asks: `api/auth/authenticator.ts`, and the store for databases. */
export interface GatePort {
  authenticate(credential: Credential, origin: Origin): Promise<Caller>;
  /** Whether the organization has it, deleted ones that can be restored included. */
  hasDatabase(organizationId: string, databaseId: string): Promise<boolean>;
  /** A good credential asked for what it may not have. Returns at once. */
  denied(denial: Denial): void;
}

export interface GateOptions extends GatePort {
  readonly limits: RateLimits;
  /** Ours, for requests of browsers; `undefined`: what the Host header says. */
  readonly origin: string | undefined;
  readonly onWrongCredential: () => void;
}

interface Asked {
  readonly request: Request;
  readonly requestId: string;
  readonly operationId: OperationId;
}

export interface Admission {
  readonly principal: Caller;
}

export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** For what has no route and is told only to who has a credential. */
  async identify(request: Request): Promise<Caller> {
    const { limits } = this.#options;
    const ip = request.ip ?? '';
    const credential = credentialOf(request.headers);
    if (credential.kind !== 'none') await limits.check('credentials', ip);
    try {
      return await this.#options.authenticate(credential, callerOf(request));
    } catch (error) {
      await this.countIfWrong(ip, error);
      throw error;
    }
  }

  /** For what takes a secret in its body: whoever has sent too many wrong ones waits. */
  async admitSecret(request: Request): Promise<void> {
    await this.#options.limits.check('credentials', request.ip ?? '');
  }

  /** For routes without a credential: those that change something take one in their body, or could be forged. */
  async admitAnybody(request: Request, route: RouteSpec): Promise<void> {
    if (route.method === 'GET') return;
    await this.admitSecret(request);
    checkOrigin(request.headers, this.#options.origin);
  }

  async admit({ request, requestId, operationId }: Asked, route: RouteSpec): Promise<Admission> {
    const { limits, origin } = this.#options;
    const principal = await this.identify(request);
    const headers = await (route.body?.form === 'ledger'
      ? limits.take('ledger', principal.credentialId)
      : limits.take('control', principal.organization?.id ?? principal.credentialId));
    // On refusals, too: they count.
    request.res?.set({ ...headers });
    const csrfHash = principal.type === 'api_key' ? null : principal.csrfHash;
    if (csrfHash !== null && route.method !== 'GET') checkCsrf(request.headers, csrfHash, origin);
    checkIds(request.params);
    try {
      await this.#authorize(route, principal, request.params['databaseId']);
    } catch (error) {
      // Who belongs to no organization is in the log of none.
      if (error instanceof Refusal && !isGuest(principal)) {
        const { ip, userAgent } = callerOf(request);
        const author = { actor: principal.actor, requestId, ip, userAgent };
        this.#options.denied({ principal, author, action: operationId, code: error.code });
      }
      throw error;
    }
    return { principal };
  }

  /** Wrong credentials are limited by address; that one was sent at all is not held against anybody. */
  async countIfWrong(ip: string, error: unknown): Promise<void> {
    if (!(error instanceof Refusal) || error.code !== 'invalid_credentials') return;
    this.#options.onWrongCredential();
    await this.#options.limits.count('credentials', ip);
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

/** What is no ID is not there. */
function checkIds(params: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(params)) {
    const known = pathParameters[name as keyof typeof pathParameters];
    if (!isTypeId(known.prefix, String(value))) {
      throw notThere(name as keyof typeof pathParameters, String(value));
    }
  }
}

export function notThere(name: keyof typeof pathParameters, value: string): Refusal {
  const { notFound, noun, prefix } = pathParameters[name];
  const detail = isTypeId(prefix, value)
    ? `There is no ${noun} ${value}.`
    : `There is no ${noun} “${value.slice(0, 80)}”: use the ID (${prefix}_…), not a name.`;
  return new Refusal(notFound, { detail });
}
