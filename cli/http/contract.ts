/**
 * Requests that the contract knows, by its generated types: a path, parameter or body that the API does not have does not compile,
 * and an answer has its type. The requests themselves are data (`--dry-run` prints them) and answers stay as they came (`--json`
 * prints them), which a client that does both at once would hide.
 */
import type { paths } from '../../gen/api.ts';
import type { Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { ApiRequest } from './request.ts';

type Verb = 'get' | 'post' | 'patch' | 'delete';
type PathWith<V extends Verb> = {
  [P in keyof paths]: paths[P][V] extends object ? P : never;
}[keyof paths];

type Json<T> = T extends { readonly content: { readonly 'application/json': infer D } } ? D : never;
type AnswerTo<O> = O extends { readonly responses: infer R }
  ? Json<R[keyof R & (200 | 202)]>
  : never;
type QueryOf<O> = O extends { readonly parameters: { readonly query?: infer Q } } ? Q : never;
type BodyOf<O> = O extends { readonly requestBody?: infer B } ? Json<B> : never;

type NamesIn<P> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

export interface Parts<P, O> {
  readonly params?: Readonly<Record<NamesIn<P>, string>>;
  readonly query?: QueryOf<O>;
  /** As a document, or as the bytes that the user gave. */
  readonly body?: BodyOf<O> | Uint8Array;
  readonly idempotencyKey?: string;
  readonly ifNoneMatch?: string;
}

/** `answers` is never there: it carries the type of the answer. */
export interface ContractRequest<D> extends ApiRequest {
  readonly answers?: D;
}

export function contractRequest<V extends Verb, const P extends PathWith<V>>(
  verb: V,
  path: P,
  { params, query, body, ...headers }: Parts<P, paths[P][V]> = {},
): ContractRequest<AnswerTo<paths[P][V]>> {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent((params as Readonly<Record<string, string>> | undefined)?.[name] ?? ''),
  );
  return {
    method: verb.toUpperCase(),
    path: `${filled}${queryText(query ?? {})}`,
    ...(body === undefined
      ? {}
      : { body: body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body)) }),
    ...headers,
    writes: verb !== 'get',
    // A repeated PATCH sets the same values, a repeated DELETE finds it being deleted.
    repeatable: verb !== 'post' || headers.idempotencyKey !== undefined,
  };
}

export interface Received<D> {
  readonly answer: Answer;
  readonly document: D;
}

export async function receive<D>(
  exchange: Exchange,
  request: ContractRequest<D>,
): Promise<Received<D>> {
  const answer = await exchange.send(request);
  return { answer, document: answer.document() as D };
}

/** Lists go with commas, as the contract says (`explode: false`). */
function queryText(query: object): string {
  const pairs = Object.entries(query as Readonly<Record<string, unknown>>)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
