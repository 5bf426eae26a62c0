/**
 * Whether the pods' template needs to be another one. An operator's upgrade restarts nothing: where the inputs are the same,
 * an existing StatefulSet keeps the template it has, whatever newer code would build from them.
 */
import { createHash } from 'node:crypto';
import { peerSecretsOf } from '../certificates/generations.ts';
import type { Subject } from './subject.ts';

/** Of the code that builds the template. Raised with every change of what it builds (template.test.ts holds it to that). */
export const templateRevision = 5;

/** Hash of exactly what the template is made from: 32 hexadecimal digits. */
export function templateInputs(subject: Subject): string {
  const { engine, placement, topology, size, parameters } = subject.resolved;
  const inputs = {
    name: subject.name,
    uid: subject.uid,
    workload: subject.workload,
    clusterId: subject.clusterId,
    engine: [engine.name, engine.image, engine.agentImage],
    replicas: topology.replicas,
    size: [size.cpuMillis, size.memoryMib],
    nodeSelector: sorted(placement.nodeSelector ?? {}),
    parameters: sorted(parameters),
    endpoints: subject.endpoints.map(({ index, ip, port }) => [index, ip, port]),
    ...(engine.name === 'TigerBeetle'
      ? { seccomp: subject.tigerBeetleSeccomp ?? 'Localhost' }
      : {}),
    ...(placement.spread === 'Preferred' && topology.replicas > 1
      ? { spread: placement.spread }
      : {}),
    ...(size.member === undefined
      ? {}
      : { etcd: [engine.etcdImage, size.member.cpuMillis, size.member.memoryMib] }),
    ...(subject.peerCertificates === undefined
      ? {}
      : { peers: peerSecretsOf(subject.workload, subject.peerCertificates) }),
  };
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 32);
}

const sorted = (map: Readonly<Record<string, string>>) =>
  Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
