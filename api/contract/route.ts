/**
 * The type of a row of the route table, and the types derived from it: the input and the possible answers of its handler. A
 * missing handler, or one with other answers than its row, does not compile.
 */
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Access } from '../model/access.ts';
import type { PathNumber, pathParameters, PathParameter } from './path-parameters.ts';
import type { ProblemCode } from '../model/problems.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface BodySpec {
  /**
   * `json`: parsed and checked against the schema before the handler is called, at most 256 KiB. `ledger`: passed on as bytes, at
   * most 8 MiB; the schema is for the document only. `signed`: passed on as bytes, which a signature in a header covers, at most
   * 256 KiB. `octets`: any bytes, uncompressed, whose digest a header has, at most 16 MiB.
   */
  readonly form: 'json' | 'ledger' | 'signed' | 'octets';
  readonly schema: z.ZodType;
  readonly examples: Readonly<Record<string, unknown>>;
  /** Maximum of its bytes, if it is another one than that of its form. */
  readonly bytesMax?: number;
  /** The body may be omitted; the handler then gets the schema's result for `{}`. */
  readonly optional?: boolean;
}

export interface ResponseSpec {
  readonly description: string;
  /**
   * `bytes`: written by the handler in JSON, or in CSV if requested. `events`: server-sent events. `websocket`: the connection
   * becomes a WebSocket (RFC 6455).
   */
  readonly form: 'json' | 'bytes' | 'events' | 'empty' | 'websocket';
  /** Media types of `bytes` that are text of many lines, each with an example; the schema does not apply to them. */
  readonly textTypes?: Readonly<Record<string, string>>;
  /** The handler may send the text in pieces, of any total length. */
  readonly streams?: boolean;
  /** `bytes` only: a client that prefers `text/event-stream` gets server-sent events instead. */
  readonly orEvents?: true;
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  /** Names of headers that the document describes (`document/headers.ts`). */
  readonly headers?: readonly string[];
}

export interface RouteSpec {
  /** The route may be used while the organization is suspended, although it changes something. */
  readonly whileSuspended?: true;
  /** The route ends somebody's access. Requests to it have a rate limit of their own, which no other request uses up. */
  readonly endsAccess?: true;
  /** Weight of one request in the limit of its credential; 1 by default. */
  readonly countsAs?: number;
  /** A GET that asks an engine: it counts as a ledger request. */
  readonly readsLedger?: true;
  readonly method: Method;
  /** Path with `{parameters}`, all of which are in `path-parameters.ts`. */
  readonly path: `/api/v1/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly query?: z.ZodObject;
  readonly body?: BodySpec;
  readonly responses: Readonly<Partial<Record<101 | 200 | 201 | 202 | 204, ResponseSpec>>>;
  /** Problems in addition to those that every route of its access may have. */
  readonly problems: readonly ProblemCode[];
  /**
   * `read`: the answer has an ETag, and If-None-Match is answered with 304. `settings`: its ETag is of what people set, for If-Match
   * of a write; it stays when the observed part of the answer changes, so that nothing is ever answered with 304. `match`: a write
   * that takes If-Match.
   */
  readonly conditional?: 'read' | 'settings' | 'match';
  /** `Cache-Control` of successful answers; `private, no-store` by default. */
  readonly cache?: string;
  /** A POST that only computes its answer: repeating it changes nothing. */
  readonly makesNothing?: true;
  /** Maximum time for an answer, in milliseconds; 30 s by default. It does not count once a stream has begun. */
  readonly timeoutMs?: number;
}

/**
 * Whether the route takes the header Idempotency-Key. Every POST does, except those of the ledger, whose records have IDs,
 * those with a signed body, which names its event, and those that make nothing.
 */
export const takesIdempotencyKey = ({ method, body, makesNothing }: RouteSpec): boolean =>
  method === 'POST' && makesNothing !== true && body?.form !== 'ledger' && body?.form !== 'signed';

/** An answer with its schema and an example of that schema's type. */
export const answer = <const Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example: z.input<Schema>,
  headers: readonly string[] = [],
) => ({ form: 'json' as const, description, schema, example, headers });

/** An answer that is text of one of the given media types. */
export const textAnswer = (
  description: string,
  textTypes: Readonly<Record<string, string>>,
  headers: readonly string[] = [],
) => ({ form: 'bytes' as const, description, textTypes, headers });

/** The same, of any length: the handler may send it in pieces. */
export const streamedAnswer = (
  description: string,
  textTypes: Readonly<Record<string, string>>,
  headers: readonly string[] = [],
) => ({ ...textAnswer(description, textTypes, headers), streams: true as const });

export const empty = (description: string, headers: readonly string[] = []) => ({
  form: 'empty' as const,
  description,
  headers,
});

export const jsonBody = <const Schema extends z.ZodType>(
  schema: Schema,
  examples: Readonly<Record<string, z.input<Schema>>>,
) => ({ form: 'json' as const, schema, examples });

/** A body of bytes that mean nothing here. */
export const octetsBody = (description: string) => ({
  form: 'octets' as const,
  schema: z.string().describe(description),
  examples: {},
});

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

type ParametersOf<Path extends string> = {
  readonly [
    Name in NamesIn<Path> & PathParameter
  ]: `${(typeof pathParameters)[Name]['prefix']}_${string}`;
} & { readonly [Name in NamesIn<Path> & PathNumber]: number };

type OutputOf<Schema> = Schema extends z.ZodType ? Immutable<z.output<Schema>> : undefined;

/** Read-only form of an answer's type, so that handlers need not copy their data to make it writable. */
export type Immutable<T> = T extends (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T;

/** The part of a request's input that depends on the route's row. */
export interface Input<Route extends RouteSpec> {
  readonly params: ParametersOf<Route['path']>;
  readonly query: OutputOf<Route['query']>;
  readonly body: Route['body'] extends { form: 'ledger' | 'signed' | 'octets' }
    ? Uint8Array
    : Route['body'] extends { schema: infer Schema }
      ? OutputOf<Schema>
      : undefined;
}

interface Head<Status> {
  readonly status: Status;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of the header Set-Cookie. */
  readonly cookies?: readonly string[];
  /** Value of the ETag with its quotes; the router answers If-None-Match with it. */
  readonly etag?: string;
}

type ReplyTo<Status, Spec> = Spec extends { form: 'json'; schema: infer Schema extends z.ZodType }
  ? Head<Status> & { readonly body: Immutable<z.input<Schema>> }
  : Spec extends { form: 'bytes'; streams: true }
    ? Head<Status> & { readonly contentType: string } & (
          | { readonly bytes: Uint8Array }
          | { readonly pieces: AsyncIterable<string> }
        )
    : Spec extends { form: 'bytes'; orEvents: true }
      ? Head<Status> &
          (
            | { readonly bytes: Uint8Array; readonly contentType: string }
            | { readonly events: AsyncIterable<Uint8Array> }
          )
      : Spec extends { form: 'bytes' }
        ? Head<Status> & { readonly bytes: Uint8Array; readonly contentType: string }
        : Spec extends { form: 'events' }
          ? Head<Status> & { readonly events: AsyncIterable<ServerSentEvent | Uint8Array> }
          : Spec extends { form: 'websocket' }
            ? Head<Status> & { readonly serve: ServeSocket }
            : Head<Status>;

/** Serves an accepted WebSocket. Resolves when it is closed. */
export type ServeSocket = (socket: WebSocket, terms: SocketTerms) => Promise<void>;

/** Whether the route is accepted as a WebSocket. */
export const opensSocket = ({ responses }: RouteSpec): boolean => responses[101] !== undefined;

export interface SocketTerms {
  /** Aborts when the socket must be closed: with an `AccessChanged`, or because the process ends. */
  readonly ended: AbortSignal;
  /**
   * Takes a ledger request from the organization's rate limits: its bytes, and the events that it writes or the records that its
   * answer may have. Resolves with the time to wait before it may be sent, in ms.
   */
  readonly admit: (bytes: number, events: number) => Promise<number>;
}

export interface ServerSentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export type Reply<Route extends RouteSpec> = {
  [Status in keyof Route['responses'] & number]: ReplyTo<Status, Route['responses'][Status]>;
}[keyof Route['responses'] & number];
