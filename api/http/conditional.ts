/** ETags (RFC 9110, section 8.8.3): all weak, for answers may differ in what does not matter. */
import { Refusal } from '../model/refusal.ts';

export const etagOf = (id: string, version: number | string): string => `W/"${id}-${version}"`;

/** If-None-Match: weakly compared, so that what a proxy made of it fits too. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || tagsIn(ifNoneMatch).includes(opaque(etag));
}

/** If-Match, which may be left out. Within the change that it guards: before it, it guards nothing. */
export function checkMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  if (tagsIn(ifMatch).includes(opaque(etag))) return;
  throw new Refusal('precondition_failed', {
    detail: `It is now ${etag}, not ${ifMatch.slice(0, 200)}; read it again.`,
  });
}

const opaque = (tag: string): string => tag.replace(/^W\//, '');
const tagsIn = (header: string): readonly string[] => header.match(/"[^"]*"/g) ?? [];
