/** Sends statistics like upstream: statsd lines with DogStatsD tags, in datagrams of at most 1400 bytes. */
import { createSocket } from 'node:dgram';
import type { HostPort } from '../../base/host-port.ts';
import type { ReplicaIdentity } from '../../engine/log/log.ts';

export interface Statistic {
  readonly name: string;
  readonly value: number;
  readonly type?: 'g' | 'c';
  readonly tags?: Readonly<Record<string, string>>;
}

const datagramMax = 1_400;

function datagramsOf(
  identity: Pick<ReplicaIdentity, 'clusterId' | 'replicaIndex'>,
  statistics: readonly Statistic[],
): readonly string[] {
  const own = `cluster:${identity.clusterId.toString(16).padStart(32, '0')},replica:${identity.replicaIndex}`;
  const datagrams: string[] = [];
  for (const { name, value, type = 'g', tags = {} } of statistics) {
    const others = Object.entries(tags).map(([key, tag]) => `,${key}:${tag}`);
    const line = `tb.${name}:${value}|${type}|#${own}${others.join('')}`;
    const last = datagrams.at(-1);
    if (last === undefined || last.length + 1 + line.length > datagramMax) datagrams.push(line);
    else datagrams[datagrams.length - 1] = `${last}\n${line}`;
  }
  return datagrams;
}

/** Sends the values of `collect` at an interval until the process ends. A missing receiver is no error. */
export function emitStatistics(
  { host, port }: HostPort,
  intervalMs: number,
  identity: ReplicaIdentity,
  collect: () => readonly Statistic[],
): void {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('error', () => undefined);
  setInterval(() => {
    for (const datagram of datagramsOf(identity, collect())) {
      socket.send(datagram, port, host, () => undefined);
    }
  }, intervalMs);
}
