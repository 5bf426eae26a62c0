/** Check of a webhook's URL before it is stored. Names are resolved, and their addresses checked, at every connection. */
import { isIP } from 'node:net';
import { Refusal } from '../model/refusal.ts';
import { AddressGuard } from './addresses.ts';

/** Lower ports belong to other protocols, which must not get our requests. */
export const firstFreePort = 1_024;
const webPorts = new Set(['', '80', '443']);

/**
 * Throws a refusal if webhooks cannot be sent to the URL. `ranges`: further allowed addresses that are not public. `pointer`:
 * place of the URL in the body.
 */
export function checkUrl(url: string, ranges: readonly string[], pointer: string): void {
  const fault = faultOfUrl(url, new AddressGuard(ranges), ranges.length > 0);
  if (fault === undefined) return;
  throw new Refusal('validation_failed', {
    detail: `The URL ${fault}.`,
    errors: [{ pointer, code: 'invalid_value', detail: fault }],
  });
}

/** Returns the reason why webhooks cannot be sent to the URL; `undefined`: they can. `plain`: http is allowed as well. */
export function faultOfUrl(text: string, guard: AddressGuard, plain: boolean): string | undefined {
  if (!URL.canParse(text)) return 'is no URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(plain && url.protocol === 'http:')) return 'must be https';
  if (url.username !== '' || url.password !== '') {
    return 'must not hold a user name or password: every request is signed instead';
  }
  if (url.hash !== '') return 'must not have a fragment';
  if (!webPorts.has(url.port) && Number(url.port) < firstFreePort) {
    return `must have the port 443, 80, or one from ${firstFreePort} on`;
  }
  return faultOfHost(hostOf(url), guard);
}

/** Returns the reason why nothing can be sent to the host, a name or an address; `undefined`: it can. */
export function faultOfHost(host: string, guard: AddressGuard): string | undefined {
  if (isIP(host) !== 0) {
    return guard.allows(host) ? undefined : 'leads to an address that is not public';
  }
  if (!host.includes('.') && host !== 'localhost') return 'must have a full host name';
  return undefined;
}

/** Host without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');
