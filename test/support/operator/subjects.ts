/** Databases as the operator's builders take them, with every choice made. */
import { replicasOf } from '../../../domain/catalog/topologies.ts';
import type { Subject } from '../../../operator/manifests/subject.ts';

const images = {
  Builtin: { version: '0.1.0', release: '0.17.9', image: 'ledgerhouse/engine:0.1.0' },
  TigerBeetle: { version: '0.17.9', release: '0.17.9', image: 'tigerbeetle:0.17.9' },
};

export const peerCertificates = [1, 2].map((number) => ({
  number,
  authority: `-----BEGIN CERTIFICATE-----\n${number}\n-----END CERTIFICATE-----\n`,
  expiresAt: `202${7 + number}-01-01T00:00:00Z`,
}));

export function subjectOf(
  engine: 'Builtin' | 'TigerBeetle',
  topology: keyof typeof replicasOf,
  changes: Partial<Subject> = {},
): Subject {
  const replicas = replicasOf[topology];
  const members = engine === 'Builtin' && replicas > 1;
  return {
    name: 'payments',
    namespace: 'org-acme',
    uid: '5e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d11',
    databaseId: 'db_01kaj7q9v5e8r9h2m3n4p5q6r7',
    workload: 'payments-5e1f0c',
    clusterId: '18762113425345234523452345234523452345',
    resolved: {
      engine: {
        name: engine,
        agentImage: 'ledgerhouse/engine:0.1.0',
        ...images[engine],
        ...(members ? { etcdImage: 'ledgerhouse/etcd:3.6.16' } : {}),
      },
      placement: { provider: 'local', region: 'local-1', nodeSelector: { region: 'local-1' } },
      topology: { name: topology, replicas },
      size: {
        name: 'lh-40',
        cpuMillis: 2000,
        memoryMib: 8192,
        ...(members ? { member: { cpuMillis: 200, memoryMib: 1024 } } : {}),
      },
      storage: { tier: 'network-ssd', className: 'ledgerhouse-network' },
      parameters: {},
    },
    storageGb: 20,
    accessNamespaces: [],
    suspend: false,
    endpoints: Array.from({ length: replicas }, (_, index) => ({
      index,
      ip: `10.96.12.${index + 1}`,
      port: 3001,
    })),
    operatorNamespace: 'ledgerhouse-system',
    ...(members ? { peerCertificates } : {}),
    ...changes,
  };
}

/** The same with other choices. */
export const withResolved = (subject: Subject, changes: Partial<Subject['resolved']>): Subject => ({
  ...subject,
  resolved: { ...subject.resolved, ...changes },
});
