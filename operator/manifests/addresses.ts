/** Lists of replicas' addresses in the form of engines and clients: IP addresses with ports, in the order of the replicas. */
import { ports } from '../../domain/names.ts';
import type { Endpoint, Subject } from './subject.ts';

/** Address list for clients. */
export const addressList = (endpoints: readonly Endpoint[]): string =>
  endpoints.map(({ ip, port }) => `${bracketed(ip)}:${port}`).join(',');

/** Address list for replica `index`, which binds its own entry: that one is every address of the pod, not the Service's. */
export const addressListOf = (subject: Listening, index: number): string =>
  subject.endpoints
    .map((endpoint) =>
      endpoint.index === index
        ? anyAddress(subject, ports.client)
        : `${bracketed(endpoint.ip)}:${endpoint.port}`,
    )
    .join(',');

type Listening = Pick<Subject, 'endpoints'> & {
  readonly resolved: {
    readonly placement: Pick<Subject['resolved']['placement'], 'ipFamilyPolicy'>;
  };
};

/** Every address of a pod: of both IP families if its Service may have both, otherwise of that of the Services' addresses. */
export function anyAddress({ endpoints, resolved }: Listening, port: number): string {
  const { ipFamilyPolicy = 'SingleStack' } = resolved.placement;
  const needsSix = ipFamilyPolicy !== 'SingleStack' || endpoints.some(({ ip }) => ip.includes(':'));
  return `${needsSix ? '[::]' : '0.0.0.0'}:${port}`;
}

const bracketed = (ip: string) => (ip.includes(':') ? `[${ip}]` : ip);
