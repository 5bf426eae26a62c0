/**
 * Decides whether the pods' template must change. An operator's upgrade restarts nothing: with the same inputs, an existing
 * StatefulSet keeps its template, even if newer code would build another.
 */
import { createHash } from 'node:crypto';
import { canonical } from '../../base/digest.ts';
import { peerSecretsOf } from '../certificates/generations.ts';
import { bucketFlags, type BackupStore } from '../store/backup-store.ts';
import { credentialsVolume } from '../store/lend.ts';
import type { Subject } from './subject.ts';

/** Revision of the code that builds the template. Every change of its result raises it (template.test.ts enforces that). */
export const templateRevision = 7;

/**
 * Revision of the code, with a word where the cluster assigns users. That word is no input: an operator that learns it does
 * not restart databases whose pods name their user.
 */
export const revisionOf = ({ assignsUsers }: Subject): string =>
  assignsUsers === true ? `${templateRevision}-users-assigned` : String(templateRevision);

/** Hash of exactly the template's inputs: 32 hexadecimal digits. */
export function templateInputs(subject: Subject): string {
  const { engine, placement, topology, size, parameters, pods = {} } = subject.resolved;
  const { asked: _, ...settings } = pods;
  const inputs = {
    name: subject.name,
    uid: subject.uid,
    workload: subject.workload,
    clusterId: subject.clusterId,
    engine: [engine.name, engine.image, engine.agentImage],
    replicas: topology.replicas,
    size: [size.cpuMillis, size.memoryMib],
    nodeSelector: sorted(placement.nodeSelector ?? {}),
    parameters: sorted(parameters ?? {}),
    endpoints: subject.endpoints.map(({ index, ip, port }) => [index, ip, port]),
    ...(engine.name === 'TigerBeetle'
      ? { seccomp: subject.tigerBeetleSeccomp ?? 'Localhost' }
      : {}),
    ...(placement.spread === 'Preferred' && topology.replicas > 1
      ? { spread: placement.spread }
      : {}),
    ...(Object.keys(settings).length === 0 ? {} : { pods: canonical(settings) }),
    ...((placement.ipFamilyPolicy ?? 'SingleStack') === 'SingleStack' ? {} : { families: 2 }),
    ...(size.member === undefined
      ? {}
      : { etcd: [engine.etcdImage, size.member.cpuMillis, size.member.memoryMib] }),
    ...(subject.archiving === undefined || subject.store === undefined
      ? {}
      : { archive: archiveInputs(subject, subject.store) }),
    ...(subject.peerCertificates === undefined
      ? {}
      : { peers: peerSecretsOf(subject.workload, subject.peerCertificates) }),
  };
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 32);
}

/** New credentials have a Secret of another name, so the pods are replaced. */
const archiveInputs = (subject: Subject, store: BackupStore) => [
  subject.databaseId,
  subject.archiving?.rpoSeconds,
  ...bucketFlags(store),
  credentialsVolume(subject, store).secret?.secretName,
];

const sorted = (map: Readonly<Record<string, string>>) =>
  Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
