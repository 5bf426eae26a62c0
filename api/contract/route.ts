/**
 * The shape of a row of the route table, and what follows from it by types: what a handler gets and what it may answer. A
 * handler that is missing, or answers otherwise than its row says, does not compile.
 */
import type { z } from 'zod';
import type { Access } from '../model/access.ts';
import type { pathParameters, PathParameter } from './path-parameters.ts';
import type { ProblemCode } from '../model/problems.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface BodySpec {
  /**
   * `json`: parsed and checked against the schema before the handler is called, 256 KiB at most. `ledger`: handed on as
   * bytes, 8 MiB at most; the schema is for the document. `signed`: handed on as bytes, which a signature in a header is of,
   * 256 KiB at most.
   */
  readonly form: 'json' | 'ledger' | 'signed';
  readonly schema: z.ZodType;
  readonly examples: Readonly<Record<string, unknown>>;
  /** A body that may be left out is then the schema's answer to `{}`. */
  readonly optional?: boolean;
}

export interface ResponseSpec {
  readonly description: string;
  /** `bytes`: written by the handler in JSON, or in CSV where it was asked for. `events`: server-sent events. */
  readonly form: 'json' | 'bytes' | 'events' | 'empty';
  /** Types of `bytes` that are text of many lines, each with an example; the schema is then for none of them. */
  readonly textTypes?: Readonly<Record<string, string>>;
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  /** Of those that the document describes (`document/headers.ts`). */
  readonly headers?: readonly string[];
}

export interface RouteSpec {
  /** It ends somebody's access: requests for it have a limit of their own, which nothing else uses up. */
  readonly endsAccess?: true;
  readonly method: Method;
  /** With `{parameters}`, all of which are in `path-parameters.ts`. */
  readonly path: `/api/v1/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly query?: z.ZodObject;
  readonly body?: BodySpec;
  readonly responses: Readonly<Partial<Record<200 | 201 | 202 | 204, ResponseSpec>>>;
  /** Besides those that every route of its access may have. */
  readonly problems: readonly ProblemCode[];
  /** Sent as ETag with reads; `match`: writes take If-Match, and hand it to the handler. */
  readonly conditional?: 'read' | 'match';
  /** Takes the header Idempotency-Key. */
  readonly idempotent?: true;
  /** `Cache-Control` of what succeeds; `private, no-store` when absent. */
  readonly cache?: string;
  /** Milliseconds that an answer may take; 30 s when absent. Not counted once a stream has begun. */
  readonly timeoutMs?: number;
}

/** The answer's schema and an example that has its type. */
export const answer = <const Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example: z.input<Schema>,
  headers: readonly string[] = [],
) => ({ form: 'json' as const, description, schema, example, headers });

/** An answer that is text of one of these types. */
export const textAnswer = (
  description: string,
  textTypes: Readonly<Record<string, string>>,
  headers: readonly string[] = [],
) => ({ form: 'bytes' as const, description, textTypes, headers });

export const empty = (description: string, headers: readonly string[] = []) => ({
  form: 'empty' as const,
  description,
  headers,
});

export const jsonBody = <const Schema extends z.ZodType>(
  schema: Schema,
  examples: Readonly<Record<string, z.input<Schema>>>,
) => ({ form: 'json' as const, schema, examples });

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

export type ParametersOf<Path extends string> = {
  readonly [
    Name in NamesIn<Path> & PathParameter
  ]: `${(typeof pathParameters)[Name]['prefix']}_${string}`;
};

type OutputOf<Schema> = Schema extends z.ZodType ? Immutable<z.output<Schema>> : undefined;

/** Handlers answer with data that they need not copy to make it writable. */
export type Immutable<T> = T extends (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T;

/** What a route's row makes of a request, besides what every request has. */
export interface Input<Route extends RouteSpec> {
  readonly params: ParametersOf<Route['path']>;
  readonly query: OutputOf<Route['query']>;
  readonly body: Route['body'] extends { form: 'ledger' | 'signed' }
    ? Uint8Array
    : Route['body'] extends { schema: infer Schema }
      ? OutputOf<Schema>
      : undefined;
}

interface Head<Status> {
  readonly status: Status;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of Set-Cookie. */
  readonly cookies?: readonly string[];
  /** The value of the ETag with its quotes: the router answers If-None-Match with it. */
  readonly etag?: string;
}

type ReplyTo<Status, Spec> = Spec extends { form: 'json'; schema: infer Schema extends z.ZodType }
  ? Head<Status> & { readonly body: Immutable<z.input<Schema>> }
  : Spec extends { form: 'bytes' }
    ? Head<Status> & { readonly bytes: Uint8Array; readonly contentType: string }
    : Spec extends { form: 'events' }
      ? Head<Status> & { readonly events: AsyncIterable<ServerSentEvent> }
      : Head<Status>;

export interface ServerSentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export type Reply<Route extends RouteSpec> = {
  [Status in keyof Route['responses'] & number]: ReplyTo<Status, Route['responses'][Status]>;
}[keyof Route['responses'] & number];
