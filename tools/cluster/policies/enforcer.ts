/**
 * Enforces NetworkPolicies on the nodes of a native cluster. It checks everything twice a second, so a new pod is open for up to
 * half a second: good enough to test which traffic the product's policies allow, but not a security boundary.
 */
import {
  CoreV1Api,
  NetworkingV1Api,
  type KubeConfig,
  type V1Namespace,
  type V1Pod,
} from '@kubernetes/client-node';
import { run } from '../run.ts';
import { chainsOf, restoreInput, type PodFacts, type PolicyState } from './rules.ts';

interface EnforcedNode {
  readonly name: string;
  readonly networkNamespace: string;
}

export class Enforcer {
  readonly #core: CoreV1Api;
  readonly #networking: NetworkingV1Api;
  readonly #nodes: readonly EnforcedNode[];
  readonly #beside: readonly PodFacts[];
  /** The chains of each node, as JSON. */
  readonly #applied = new Map<string, string>();

  /** `beside` are servers that stand in for pods; policies select them like pods. */
  constructor(kubeconfig: KubeConfig, nodes: readonly EnforcedNode[], beside: readonly PodFacts[]) {
    this.#core = kubeconfig.makeApiClient(CoreV1Api);
    this.#networking = kubeconfig.makeApiClient(NetworkingV1Api);
    this.#nodes = nodes;
    this.#beside = beside;
  }

  /** Reads all policies once and replaces the rules of nodes where they differ. */
  async look(): Promise<void> {
    const [policies, namespaces, pods] = await Promise.all([
      this.#networking.listNetworkPolicyForAllNamespaces(),
      this.#core.listNamespace(),
      this.#core.listPodForAllNamespaces(),
    ]);
    const state: PolicyState = {
      policies: policies.items,
      namespaces: Object.fromEntries(namespaces.items.map(labelsOf)),
      pods: [...pods.items.flatMap(factsOf), ...this.#beside],
    };
    for (const node of this.#nodes) await this.#apply(node, state);
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

const labelsOf = ({ metadata }: V1Namespace) =>
  [metadata?.name ?? '', metadata?.labels ?? {}] as const;

/** Facts about a pod that has an address of its own and may still use it. */
function factsOf({ metadata, spec, status }: V1Pod): PodFacts[] {
  const over = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  if (status?.podIP === undefined || over || spec?.hostNetwork === true) return [];
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return [
    {
      namespace: metadata?.namespace ?? '',
      name: metadata?.name ?? '',
      labels: metadata?.labels ?? {},
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
