/** What a handler of an area gets, and what it is called by. */
import type { OperationId, Routes } from '../contract/routes.ts';
import type { Input, Reply, RouteSpec } from '../contract/route.ts';
import type { Author } from '../model/actor.ts';
import type { Caller, KeyPrincipal, Principal } from '../auth/principal.ts';

/** What every request has. */
export interface RequestFacts {
  /** `req_…`, or what the client sent. */
  readonly requestId: string;
  /** Aborts when the client has gone, the deadline has passed, or the answer is on its way. */
  readonly signal: AbortSignal;
  readonly ip: string;
  readonly userAgent: string | null;
  /** The headers If-Match and If-None-Match, as they came. */
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** For streams: the ID of the last event that the client has. */
  readonly lastEventId: string | undefined;
  /** Of routes that take it; the hash is of method, path and body (SHA-256). */
  readonly idempotency: { readonly key: string; readonly requestHash: Buffer } | undefined;
  /** The header Stripe-Signature. */
  readonly stripeSignature: string | undefined;
  /** `Prefer: wait=N`, in milliseconds. */
  readonly waitMs: number | undefined;
  /** What the client accepts best, of what operations that read the ledger can give. */
  readonly format: 'json' | 'csv';
}

/** What routes with a credential have besides. */
export interface CallerFacts<Who extends Caller> {
  readonly principal: Who;
  /** For `store.change`. */
  readonly author: Author;
}

type FactsOf<Route extends RouteSpec> = Route['access'] extends { kind: 'public' }
  ? RequestFacts
  : RequestFacts & CallerFacts<WhoMay<Route['access']>>;

/** What is known of the caller once the route's row has been checked. */
type WhoMay<Access> = Access extends { kind: 'self'; keys: true }
  ? Caller
  : Access extends { kind: 'self' }
    ? Exclude<Caller, KeyPrincipal>
    : Access extends { kind: 'person' }
      ? Exclude<Principal, KeyPrincipal>
      : Principal;

export type RequestTo<Id extends OperationId> = Input<Routes[Id]> & FactsOf<Routes[Id]>;
export type ReplyTo<Id extends OperationId> = Reply<Routes[Id]>;

/** Answers, or throws a `Refusal`. Failures of what it uses it lets pass: the router knows them. */
export type Handler<Id extends OperationId> = (request: RequestTo<Id>) => Promise<ReplyTo<Id>>;

export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** The handlers of one area. */
export type HandlersOf<Table> = Pick<Handlers, keyof Table & OperationId>;
