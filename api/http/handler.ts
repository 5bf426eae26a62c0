/** Types of the handlers of an area, and of the requests that they get. */
import type { OperationId, Routes } from '../contract/routes.ts';
import type { Input, Reply, RouteSpec } from '../contract/route.ts';
import type { Author } from '../model/actor.ts';
import type { Caller, KeyPrincipal, Principal } from '../auth/principal.ts';

/** Facts that every request has. */
export interface RequestFacts {
  /** `req_…`, or the ID that the client sent. */
  readonly requestId: string;
  /** Aborts when the client has gone, the deadline has passed, or the answer is being sent. */
  readonly signal: AbortSignal;
  readonly ip: string;
  readonly userAgent: string | null;
  /** The headers If-Match and If-None-Match, as received. */
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** For streams: ID of the last event that the client has. */
  readonly lastEventId: string | undefined;
  /** Set for routes that take an Idempotency-Key; the hash is the SHA-256 of method, path, named organization and body. */
  readonly idempotency: { readonly key: string; readonly requestHash: Buffer } | undefined;
  /** The header Stripe-Signature. */
  readonly stripeSignature: string | undefined;
  /** The header Content-Digest, as received. */
  readonly contentDigest: string | undefined;
  /** `Prefer: wait=N`, in milliseconds. */
  readonly waitMs: number | undefined;
  /** The format that the client prefers, among those of an operation that reads the ledger. */
  readonly format: 'json' | 'csv';
  /** The client prefers a stream of events, for an operation that offers both pages and a stream. */
  readonly wantsEvents: boolean;
}

/** Further facts of routes that need a credential. */
export interface CallerFacts<Who extends Caller> {
  readonly principal: Who;
  /** Author of the change, for `store.change`. */
  readonly author: Author;
}

/** Costs that a handler may charge to its caller. */
export interface CostFacts {
  /** Takes the events of a ledger request, or the records that it may answer with, from the organization's rate limit. */
  readonly takeEvents: (count: number) => Promise<void>;
  /** Reserves room for a ledger's answer of this size until it has been sent. */
  readonly holdAnswer: HoldAnswer;
}

/** With `mayRefuse` it throws a `Refusal` when there is no room; an answer to a write is always held. */
export type HoldAnswer = (bytes: number, mayRefuse: boolean) => void;

type FactsOf<Route extends RouteSpec> = Route['access'] extends { kind: 'public' }
  ? RequestFacts
  : RequestFacts & CallerFacts<WhoMay<Route['access']>> & CostFacts;

/** Type of the caller, as far as the route's row determines it. */
type WhoMay<Access> = Access extends { kind: 'self'; keys: true }
  ? Caller
  : Access extends { kind: 'self' }
    ? Exclude<Caller, KeyPrincipal>
    : Access extends { kind: 'person' }
      ? Exclude<Principal, KeyPrincipal>
      : Principal;

export type RequestTo<Id extends OperationId> = Input<Routes[Id]> & FactsOf<Routes[Id]>;
type ReplyTo<Id extends OperationId> = Reply<Routes[Id]>;

/** Returns the answer, or throws a `Refusal`. Lets failures of its dependencies pass: the router knows them. */
export type Handler<Id extends OperationId> = (request: RequestTo<Id>) => Promise<ReplyTo<Id>>;

export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** The handlers of one area. */
export type HandlersOf<Table> = Pick<Handlers, keyof Table & OperationId>;
