/**
 * Requests as data, typed by the OpenAPI document: a path, parameter or body that the API does not have does not compile, and the
 * answer has its type. For callers that send requests in their own way, such as the CLI, which also prints them.
 */
import { createFinalURL, defaultPathSerializer } from 'openapi-fetch';
import type { paths } from '../../../gen/api.ts';
import { querySerializer } from './query.ts';

export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type PathWith<V extends Verb> = {
  [P in keyof paths]: paths[P][V] extends object ? P : never;
}[keyof paths];

type Json<T> = T extends { readonly content: { readonly 'application/json': infer D } } ? D : never;
type QueryOf<O> = O extends { readonly parameters: { readonly query?: infer Q } } ? Q : never;
type BodyOf<O> = O extends { readonly requestBody?: infer B } ? Json<B> : never;
type AnswerOf<O> = O extends { readonly responses: infer R }
  ? Json<R[keyof R & (200 | 201 | 202)]>
  : never;
export type BodyTo<V extends Verb, P extends PathWith<V>> = BodyOf<paths[P][V]>;
export type AnswerTo<V extends Verb, P extends PathWith<V>> = AnswerOf<paths[P][V]>;

type NamesIn<P> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

export interface Parts<V extends Verb, P extends PathWith<V>> {
  readonly params?: Readonly<Record<NamesIn<P>, string>>;
  readonly query?: QueryOf<paths[P][V]>;
  /** A document, or bytes that are sent unchanged. */
  readonly body?: BodyTo<V, P> | Uint8Array;
}

interface PlannedRequest {
  readonly method: string;
  /** Path with `/api/v1` and the query. */
  readonly path: string;
  readonly body?: Uint8Array;
}

/** Whether a path with this value as a segment would be another path: URLs have no way to write such a segment. */
export const isDotSegment = (value: string): boolean => value === '.' || value === '..';

/** Throws a `RangeError` for an ID of dots alone, which would change the rest of the path. */
export function planRequest<V extends Verb, const P extends PathWith<V>>(
  verb: V,
  path: P,
  { params, query, body }: Parts<V, P> = {},
): PlannedRequest {
  for (const value of Object.values<string>({ ...params })) {
    if (isDotSegment(value)) throw new RangeError(`"${value}" is not an ID`);
  }
  return {
    method: verb.toUpperCase(),
    path: createFinalURL(path, {
      baseUrl: '',
      params: { path: { ...params }, query: { ...(query as Record<string, unknown> | undefined) } },
      querySerializer,
      pathSerializer: defaultPathSerializer,
    }),
    ...(body !== undefined && {
      body: body instanceof Uint8Array ? body : new TextEncoder().encode(JSON.stringify(body)),
    }),
  };
}
