/** A replica's own Service: its address stays the replica's for ever, while pods and their addresses come and go. */
import { labels, podName, ports, serviceName } from '../../domain/names.ts';
import type { Service } from '../../domain/kinds.ts';
import { adapterOf } from '../engines/adapters.ts';
import { ownedMetadata } from './metadata.ts';
import type { Subject } from './subject.ts';

/** Once its address is recorded, the Service is made with it: a lost one returns with the known address. */
export function buildService(subject: Subject, index: number): Service {
  const { ipFamilyPolicy } = subject.resolved.placement;
  const pinned = subject.endpoints.find((endpoint) => endpoint.index === index);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: ownedMetadata(subject, serviceName(subject.workload, index), {
      labels: { [labels.replica]: String(index) },
    }),
    spec: {
      type: 'ClusterIP',
      ...(pinned === undefined ? {} : { clusterIP: pinned.ip }),
      ...(ipFamilyPolicy === undefined ? {} : { ipFamilyPolicy }),
      // Always empty: somebody's addresses would reach the engine from outside the cluster.
      externalIPs: [],
      // Replicas find each other through it, and none is ready before enough of them exist.
      publishNotReadyAddresses: true,
      selector: { 'statefulset.kubernetes.io/pod-name': podName(subject.workload, index) },
      ports: [
        { name: 'client', port: ports.client },
        // The API asks it for the reason when a ledger does not answer a write: it may be full.
        { name: 'status', port: ports.status },
        ...adapterOf(subject.resolved.engine.name).peerPorts(subject),
      ].map(({ name, port }) => ({ name, port, targetPort: port, protocol: 'TCP' })),
    },
  };
}
