/**
 * NetworkPolicies as iptables rules of one node. Every packet from or to a pod of the node passes the node's FORWARD
 * chain (pods have routed pairs, see native/node.ts), after Services' addresses were replaced by pods'. Packets of the node
 * itself to its pods, mostly probes, pass OUTPUT and are never blocked, as Kubernetes requires.
 *
 *   FORWARD ── LH-POLICY ──┬── known connection ── allowed
 *                          ├── to an isolated pod   ── LH-I-…  allowed packets return, the rest is dropped
 *                          └── from an isolated pod ── LH-E-…  likewise
 */
import type {
  V1NetworkPolicy,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
} from '@kubernetes/client-node';
import { createHash } from 'node:crypto';
import { subtract } from './cidr.ts';
import { matches, type Labels } from './selector.ts';

export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly ip: string;
  readonly node: string;
  /** Named container ports: `PROTOCOL/name` → number. */
  readonly ports: Readonly<Record<string, number>>;
}

export interface PolicyState {
  readonly pods: readonly PodFacts[];
  /** Labels of namespaces by name. */
  readonly namespaces: Readonly<Record<string, Labels>>;
  readonly policies: readonly V1NetworkPolicy[];
}

export const entryChain = 'LH-POLICY';

/** The chains of a node with their rules, the entry chain among them. */
export function chainsOf(state: PolicyState, node: string): Map<string, readonly string[]> {
  const entry = ['-m conntrack --ctstate ESTABLISHED,RELATED -j RETURN'];
  const chains = new Map<string, readonly string[]>([[entryChain, entry]]);
  for (const pod of state.pods.filter((candidate) => candidate.node === node)) {
    const own = state.policies.filter(
      (policy) =>
        policy.metadata?.namespace === pod.namespace &&
        matches(policy.spec?.podSelector ?? {}, pod.labels),
    );
    for (const direction of ['Ingress', 'Egress'] as const) {
      const isolating = own.filter((policy) => typesOf(policy).includes(direction));
      if (isolating.length === 0) continue;
      const chain = `LH-${direction[0]}-${hash(`${pod.namespace}/${pod.name}`)}`;
      entry.push(`${direction === 'Ingress' ? '-d' : '-s'} ${pod.ip}/32 -j ${chain}`);
      const allowed = isolating.flatMap((policy) => allowedBy(policy, direction, pod, state));
      // A pod can always reach itself, also through its own Service.
      chains.set(chain, [
        `-s ${pod.ip}/32 -d ${pod.ip}/32 -j RETURN`,
        ...new Set(allowed.map((match) => `${match} -j RETURN`.trim())),
        '-j DROP',
      ]);
    }
  }
  return chains;
}

function typesOf(policy: V1NetworkPolicy): readonly string[] {
  if (policy.spec?.policyTypes !== undefined) return policy.spec.policyTypes;
  return policy.spec?.egress === undefined ? ['Ingress'] : ['Ingress', 'Egress'];
}

/** The iptables matches for the traffic that a policy allows for a pod. */
function allowedBy(
  policy: V1NetworkPolicy,
  direction: 'Ingress' | 'Egress',
  pod: PodFacts,
  state: PolicyState,
): string[] {
  const namespace = policy.metadata?.namespace ?? '';
  if (direction === 'Ingress') {
    return (policy.spec?.ingress ?? []).flatMap(({ _from: peers, ports }) =>
      endsOf(peers, namespace, state).flatMap((end) =>
        portMatches(ports, pod).map(
          (port) => `${end.range === '' ? '' : `-s ${end.range}`}${port}`,
        ),
      ),
    );
  }
  return (policy.spec?.egress ?? []).flatMap(({ to: peers, ports }) =>
    endsOf(peers, namespace, state).flatMap((end) =>
      portMatches(ports, end.pod).map(
        (port) => `${end.range === '' ? '' : `-d ${end.range}`}${port}`,
      ),
    ),
  );
}

interface End {
  /** Empty means everywhere. */
  readonly range: string;
  readonly pod?: PodFacts;
}

function endsOf(
  peers: readonly V1NetworkPolicyPeer[] | undefined,
  namespace: string,
  state: PolicyState,
): End[] {
  if (peers === undefined || peers.length === 0) return [{ range: '' }];
  return peers.flatMap((peer): End[] => {
    if (peer.ipBlock !== undefined) {
      // Pods of the local cluster have only IPv4 addresses.
      if (peer.ipBlock.cidr.includes(':')) return [];
      return subtract(peer.ipBlock.cidr, peer.ipBlock.except ?? []).map((range) => ({ range }));
    }
    return state.pods
      .filter((pod) =>
        peer.namespaceSelector === undefined
          ? pod.namespace === namespace
          : matches(peer.namespaceSelector, state.namespaces[pod.namespace] ?? {}),
      )
      .filter((pod) => matches(peer.podSelector ?? {}, pod.labels))
      .map((pod) => ({ range: `${pod.ip}/32`, pod }));
  });
}

/** `target` is the destination pod, if known; named ports are looked up there. */
function portMatches(
  ports: readonly V1NetworkPolicyPort[] | undefined,
  target: PodFacts | undefined,
): string[] {
  if (ports === undefined || ports.length === 0) return [''];
  return ports.flatMap(({ port, endPort, protocol = 'TCP' }) => {
    const prefix = ` -p ${protocol.toLowerCase()}`;
    if (port === undefined) return [prefix];
    const number = typeof port === 'number' ? port : target?.ports[`${protocol}/${port}`];
    if (number === undefined) return [];
    const range = endPort === undefined ? `${number}` : `${number}:${endPort}`;
    return [`${prefix} -m ${protocol.toLowerCase()} --dport ${range}`];
  });
}

/** A chain's name has at most 28 characters. */
const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/**
 * Input for `iptables-restore --noflush` that changes a node's filter table to `chains` in one step. `saved` is the output of
 * `iptables-save -t filter` there.
 */
export function restoreInput(
  chains: ReadonlyMap<string, readonly string[]>,
  saved: string,
): string {
  const there = [...saved.matchAll(/^:(LH-\S+) /gm)].map((match) => match[1] ?? '');
  const stale = there.filter((name) => !chains.has(name));
  const hooked = saved.includes(`\n-A FORWARD -j ${entryChain}\n`);
  return [
    '*filter',
    // Declaring a chain empties it.
    ...[...chains.keys(), ...stale].map((name) => `:${name} - [0:0]`),
    ...[...chains].flatMap(([name, rules]) => rules.map((rule) => `-A ${name} ${rule}`)),
    ...(hooked ? [] : [`-I FORWARD 1 -j ${entryChain}`]),
    ...stale.map((name) => `-X ${name}`),
    'COMMIT',
    '',
  ].join('\n');
}
