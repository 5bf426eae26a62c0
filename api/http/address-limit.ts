/** The limit of what one network may ask of pages and endpoints that need no credential. */
import type { Request } from 'express';
import { Refusal } from '../model/refusal.ts';
import { networkOf } from './network.ts';
import type { Windows } from './windows.ts';

/** Throws a refusal when the caller's network has used up its share of a minute. */
export function limitAddress(windows: Windows, request: Request): void {
  if (windows.take(networkOf(request.ip ?? '')).within) return;
  throw new Refusal('rate_limited', {
    detail: `Your address sent more than ${windows.points} of these requests in a minute. Wait a minute.`,
    retryAfterSeconds: 60,
  });
}
