/**
 * Requests of the contract, with its types. They are data (`--dry-run` prints them) and are sent by `Exchange`. Answers are kept
 * unchanged (`--json` prints them).
 */
import { randomUUID } from 'node:crypto';
import {
  isDotSegment,
  planRequest,
  type AnswerTo,
  type Parts,
  type PathWith,
  type Verb,
} from '../../clients/typescript/src/planned-request.ts';
import { valueFailure } from '../failure.ts';
import { notTheApi, type Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { ApiRequest } from './request.ts';

interface Conditions {
  readonly ifNoneMatch?: string;
}

/** `answers` is never set: it only carries the type of the answer. */
interface ContractRequest<D> extends ApiRequest {
  readonly answers?: D;
}

export function contractRequest<V extends Verb, const P extends PathWith<V>>(
  verb: V,
  path: P,
  { ifNoneMatch, ...parts }: Parts<V, P> & Conditions = {},
): ContractRequest<AnswerTo<V, P>> {
  const dots = Object.values<string>({ ...parts.params }).find(isDotSegment);
  if (dots !== undefined) throw valueFailure(`"${dots}" is not an ID`);
  return {
    ...planRequest(verb, path, parts as Parts<V, P>),
    // The key is the same for all attempts of this process, so an accepted request is not executed twice.
    ...(verb === 'post' && { idempotencyKey: randomUUID() }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch }),
    writes: verb !== 'get',
    // A repeated PATCH sets the same values; a repeated DELETE finds the object being deleted.
    repeatable: true,
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

/** Sends a request that the API answers with 204. Any other server may answer 200 to it, and has done nothing. */
export async function execute(exchange: Exchange, request: ApiRequest): Promise<void> {
  const { status } = await exchange.send(request);
  if (status !== 204) throw notTheApi(status, 'something, where the API answers 204 with nothing');
}
