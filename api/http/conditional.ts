/** ETags (RFC 9110, section 8.8.3). All are weak, because answers may differ in insignificant details. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../model/canonical-json.ts';
import { Refusal } from '../model/refusal.ts';

export const etagOf = (id: string, version: number | string): string => `W/"${id}-${version}"`;

/** The ETag of what people set: it stays while only observed state changes, and comes back with the same settings. */
export const settingsTag = (id: string, settings: object): string =>
  etagOf(id, createHash('sha256').update(canonicalJson(settings)).digest('hex').slice(0, 24));

/** Checks If-None-Match. The comparison is weak, so that a tag changed by a proxy matches too. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || tagsIn(ifNoneMatch).includes(opaque(etag));
}

/** Checks If-Match, which is optional. It must be called within the change that it guards; called earlier, it guards nothing. */
export function checkMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  if (tagsIn(ifMatch).includes(opaque(etag))) return;
  throw new Refusal('precondition_failed', {
    detail: `The ETag is now ${etag}, not ${ifMatch.slice(0, 200)}. Read the object again.`,
  });
}

const opaque = (tag: string): string => tag.replace(/^W\//, '');
const tagsIn = (header: string): readonly string[] => header.match(/"[^"]*"/g) ?? [];
