/** Lists of replicas' addresses in the form of engines and clients: IP addresses with ports, in the order of the replicas. */
import { ports } from '../../domain/names.ts';
import type { Endpoint } from './subject.ts';

/** Address list for clients. */
export const addressList = (endpoints: readonly Endpoint[]): string =>
  endpoints.map(({ ip, port }) => `${bracketed(ip)}:${port}`).join(',');

/** Address list for replica `index`, which binds its own entry: that one is every address of the pod, not the Service's. */
export const addressListOf = (endpoints: readonly Endpoint[], index: number): string =>
  endpoints
    .map((endpoint) =>
      endpoint.index === index
        ? anyAddress(endpoints, ports.client)
        : `${bracketed(endpoint.ip)}:${endpoint.port}`,
    )
    .join(',');

/** Every address of a pod, in the IP family of the Services' addresses. */
export const anyAddress = (endpoints: readonly Endpoint[], port: number): string =>
  `${endpoints.some(({ ip }) => ip.includes(':')) ? '[::]' : '0.0.0.0'}:${port}`;

const bracketed = (ip: string) => (ip.includes(':') ? `[${ip}]` : ip);
