/**
 * Places of refusals: what is not possible may be in an earlier revision that the request names, or in the waiting change that it would join,
 * and not in the request. Pure.
 */
import type { ChangeRequest } from '../model/configuration-change.ts';
import { Refusal, type FieldError } from '../model/refusal.ts';

/** The refusal, whose errors point to what the request has. */
export function atItsPlace(refusal: Refusal, request: ChangeRequest): Refusal {
  const { errors } = refusal.occasion;
  if (request.revision === undefined || errors === undefined) return refusal;
  const placed = errors.map((error) => placedIn(error, request));
  const foreign = placed.find((error, index) => error !== errors[index]);
  const detail = foreign === undefined ? refusal.occasion.detail : foreign.detail;
  return new Refusal(refusal.code, { ...refusal.occasion, detail, errors: placed });
}

function placedIn(error: FieldError, request: ChangeRequest): FieldError {
  const { pointer } = error;
  if (pointer === undefined || isIn(pointer, request)) return error;
  const field = pointer.slice(2);
  return {
    ...error,
    pointer: '#/revision',
    detail: `Revision ${request.revision} cannot be had as it was: ${unended(error.detail)}. Give ${field} beside it to have another one.`,
    meta: { ...error.meta, field },
  };
}

/** The refusal of a request that is possible alone, and not together with the change that it would join. */
export function besideWaiting(refusal: Refusal, request: ChangeRequest, changeId: string): Refusal {
  const { detail, errors } = refusal.occasion;
  if (errors === undefined) return refusal;
  const together = (why: string) =>
    `Together with ${changeId}, which waits: ${unended(why)}. Withdraw that change, or ask again once it has ended.`;
  const placed = errors.map((error): FieldError => {
    const { pointer = '#' } = error;
    const found = { ...error, detail: together(error.detail) };
    if (isIn(pointer, request)) return { ...found, meta: { ...error.meta, changeId } };
    return { ...found, pointer: '#', meta: { ...error.meta, changeId, field: pointer.slice(2) } };
  });
  return new Refusal(refusal.code, {
    ...refusal.occasion,
    detail: together(detail),
    errors: placed,
  });
}

const unended = (sentence: string): string => sentence.replace(/\.$/, '');

function isIn(pointer: string, request: ChangeRequest): boolean {
  let found: unknown = request;
  for (const member of pointer.slice(2).split('/')) {
    if (typeof found !== 'object' || found === null) return false;
    found = (found as Readonly<Record<string, unknown>>)[member];
    if (found === undefined) return false;
  }
  return true;
}
