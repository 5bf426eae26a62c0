import { ports } from '../../domain/names.ts';
import type { Address } from '../../engine/client/client.ts';

/** URL of `/status` of the replica that serves clients at an address. */
export const statusUrlOf = ({ host }: Address): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${ports.status}/status`;
