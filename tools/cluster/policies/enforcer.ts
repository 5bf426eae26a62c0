/**
 * Enforces NetworkPolicies on the nodes of a native cluster. A look follows each change within half a second, so a new pod is open for
 * up to that long: good enough to test which traffic the product's policies allow, but not a security boundary.
 */
import type { V1NetworkPolicy, V1NetworkPolicyIngressRule } from '@kubernetes/client-node';
import type { Kube, KubeObject } from '../../../base/kube/kube.ts';
import { resources, type Pod } from '../../../domain/kinds.ts';
import { run } from '../run.ts';
import { chainsOf, restoreInput, type PodFacts, type PolicyState } from './rules.ts';

interface EnforcedNode {
  readonly name: string;
  readonly networkNamespace: string;
}

export class Enforcer {
  /** Kinds that it watches. */
  readonly kinds = [resources.networkPolicy, resources.namespace, resources.pod];
  readonly #kube: Kube;
  readonly #nodes: readonly EnforcedNode[];
  readonly #beside: readonly PodFacts[];
  /** The chains of each node, as JSON. */
  readonly #applied = new Map<string, string>();

  /** `beside` are servers that stand in for pods; policies select them like pods. */
  constructor(kube: Kube, nodes: readonly EnforcedNode[], beside: readonly PodFacts[]) {
    this.#kube = kube;
    this.#nodes = nodes;
    this.#beside = beside;
  }

  /** Reads all policies once and replaces the rules of nodes where they differ. Throws if that fails. */
  async look(): Promise<true> {
    const [policies, namespaces, pods] = await Promise.all([
      this.#kube.list<PolicyJson>(resources.networkPolicy),
      this.#kube.list(resources.namespace),
      this.#kube.list<Pod>(resources.pod),
    ]);
    const state: PolicyState = {
      policies: policies.map(policyOf),
      namespaces: Object.fromEntries(namespaces.map(labelsOf)),
      pods: [...pods.flatMap(factsOf), ...this.#beside],
    };
    for (const node of this.#nodes) await this.#apply(node, state);
    return true;
  }

  async #apply(node: EnforcedNode, state: PolicyState): Promise<void> {
    const chains = chainsOf(state, node.name);
    const wanted = JSON.stringify([...chains]);
    if (this.#applied.get(node.name) === wanted) return;
    const inside = ['--net=/run/netns/' + node.networkNamespace, '--'];
    const saved = await run('nsenter', [...inside, 'iptables-save', '-t', 'filter']);
    await run('nsenter', [...inside, 'iptables-restore', '--noflush', '--wait', '5'], {
      input: restoreInput(chains, saved),
    });
    this.#applied.set(node.name, wanted);
  }
}

interface PolicyJson extends KubeObject {
  readonly spec: Omit<NonNullable<V1NetworkPolicy['spec']>, 'ingress'> & {
    readonly ingress?: readonly (Omit<V1NetworkPolicyIngressRule, '_from'> & {
      readonly from?: NonNullable<V1NetworkPolicyIngressRule['_from']>;
    })[];
  };
}

/** The types of client-node rename the field `from`. */
const policyOf = ({
  metadata: { name = '', namespace = '' },
  spec,
}: PolicyJson): V1NetworkPolicy => {
  const { ingress, ...rest } = spec;
  const renamed = ingress?.map(({ from, ...rule }) => (from ? { ...rule, _from: from } : rule));
  return { metadata: { name, namespace }, spec: { ...rest, ...(renamed && { ingress: renamed }) } };
};

const labelsOf = ({ metadata }: KubeObject) =>
  [metadata.name ?? '', metadata.labels ?? {}] as const;

/** Facts about a pod that has an address of its own and may still use it. */
function factsOf({ metadata, spec, status }: Pod): PodFacts[] {
  const over = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  if (status?.podIP === undefined || over || spec?.hostNetwork === true) return [];
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return [
    {
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      labels: metadata.labels ?? {},
      ip: status.podIP,
      node: spec?.nodeName ?? '',
      ports: Object.fromEntries(
        ports.flatMap(({ name, protocol, containerPort }) =>
          name === undefined ? [] : [[`${protocol ?? 'TCP'}/${name}`, containerPort]],
        ),
      ),
    },
  ];
}
