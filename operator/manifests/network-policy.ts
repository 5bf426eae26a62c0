/** Permitted connections from and to a database's pods. All others are refused. */
import type { V1NetworkPolicyPort } from '@kubernetes/client-node';
import {
  apiName,
  connectLabel,
  labels,
  operatorName,
  ports,
  workerName,
} from '../../domain/names.ts';
import type { NetworkPolicy, NetworkPolicyPeer } from '../../domain/kinds.ts';
import { adapterOf } from '../engines/adapters.ts';
import { ownedMetadata, podSelector, Role } from './metadata.ts';
import type { Subject } from './subject.ts';

const namespaceName = 'kubernetes.io/metadata.name';
/** Label of a namespace whose pods may read the replicas' metrics. */
const metricsLabel = 'ledgerhouse.dev/metrics';

const port = (number: number): V1NetworkPolicyPort => ({ port: number, protocol: 'TCP' });
const client = port(ports.client);
const status = port(ports.status);

export function buildNetworkPolicy(subject: Subject): NetworkPolicy {
  const { topology, engine } = subject.resolved;
  const own: NetworkPolicyPeer = { podSelector: podSelector(subject) };
  const replicas: NetworkPolicyPeer = { podSelector: podSelector(subject, Role.replica) };
  // A backup of TigerBeetle is a client in a Job.
  const isAlone = topology.replicas === 1 && engine.name === 'Builtin';
  const peers = isAlone ? [] : [own];
  const among = adapterOf(engine.name).peerPorts(subject);
  // The Job that fills it is the only client.
  const isOpen = subject.filling !== true;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: ownedMetadata(subject, subject.workload),
    spec: {
      podSelector: podSelector(subject),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { ports: [client], from: [...(isOpen ? clients(subject) : []), ...peers] },
        ...among.map((one) => ({
          ports: [port(one.port)],
          from: [one.forJobs ? own : replicas],
        })),
        // The worker pushes change events, and collects figures for the monitoring.
        {
          ports: isOpen ? [client, status] : [status],
          from: [ours(subject, apiName), ours(subject, workerName)],
        },
        {
          ports: [status],
          from: [
            ours(subject, operatorName),
            { namespaceSelector: { matchLabels: { [metricsLabel]: 'true' } } },
          ],
        },
      ],
      egress:
        peers.length === 0
          ? []
          : [{ ports: [client, ...among.map((one) => port(one.port))], to: peers }],
    },
  };
}

/** Pods labelled for this database, in its own namespace and in those that the spec names. */
function clients(subject: Subject): readonly NetworkPolicyPeer[] {
  const labelled = {
    podSelector: { matchLabels: { [connectLabel(subject.name)]: subject.namespace } },
  };
  const others = [...new Set(subject.accessNamespaces)].sort();
  if (others.length === 0) return [labelled];
  const namespaceSelector = {
    matchExpressions: [{ key: namespaceName, operator: 'In', values: others }],
  };
  return [labelled, { namespaceSelector, ...labelled }];
}

const ours = (subject: Subject, name: string): NetworkPolicyPeer => ({
  namespaceSelector: { matchLabels: { [namespaceName]: subject.operatorNamespace } },
  podSelector: { matchLabels: { [labels.name]: name } },
});
