/** Lists of replicas' addresses as engines and clients take them: IP addresses with ports, in the order of the replicas. */
import { ports } from '../../domain/names.ts';
import type { Endpoint } from './subject.ts';

/** As clients take it. */
export const addressList = (endpoints: readonly Endpoint[]): string =>
  endpoints.map(({ ip, port }) => `${bracketed(ip)}:${port}`).join(',');

/** As replica `index` takes it where a replica binds its own entry: that is every address of the pod, not the Service's. */
export const addressListOf = (endpoints: readonly Endpoint[], index: number): string =>
  endpoints
    .map((endpoint) =>
      endpoint.index === index
        ? anyAddress(endpoints, ports.client)
        : `${bracketed(endpoint.ip)}:${endpoint.port}`,
    )
    .join(',');

/** Every address of a pod, of the family that the Services' addresses have. */
export const anyAddress = (endpoints: readonly Endpoint[], port: number): string =>
  `${endpoints.some(({ ip }) => ip.includes(':')) ? '[::]' : '0.0.0.0'}:${port}`;

const bracketed = (ip: string) => (ip.includes(':') ? `[${ip}]` : ip);
