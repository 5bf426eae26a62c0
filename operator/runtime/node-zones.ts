/** Zones of nodes, read from their labels. A zone is remembered for a while, because a node keeps it for its life. */
import { systemTimers } from '../../base/timers.ts';
import { zoneLabel } from '../../domain/names.ts';
import { resources, type Node } from '../../domain/kinds.ts';
import { ApiError, type Kube } from '../../base/kube/kube.ts';

/** Time after which a node is read again: somebody may have added the label, or another node has the name. */
const rememberMs = 5 * 60_000;
/** Maximum number of remembered nodes; beyond it, all are forgotten. */
const nodesMax = 10_000;

export class NodeZones {
  readonly #nowMs: () => number;
  readonly #known = new Map<string, { readonly zone: string | undefined; readonly atMs: number }>();

  constructor(nowMs: () => number = () => systemTimers.nowMs()) {
    this.#nowMs = nowMs;
  }

  /** Zones by the nodes' names. A node is left out if it is gone, has no such label, or the operator may not read nodes. */
  async of(kube: Kube, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const zones = new Map<string, string>();
    for (const name of new Set(names)) {
      const zone = await this.#zoneOf(kube, name);
      if (zone !== undefined) zones.set(name, zone);
    }
    return zones;
  }

  async #zoneOf(kube: Kube, name: string): Promise<string | undefined> {
    const known = this.#known.get(name);
    if (known !== undefined && this.#nowMs() - known.atMs < rememberMs) return known.zone;
    const node = await readNode(kube, name);
    const zone = node?.metadata.labels?.[zoneLabel];
    if (this.#known.size >= nodesMax) this.#known.clear();
    this.#known.set(name, { zone: zone === '' ? undefined : zone, atMs: this.#nowMs() });
    return zone === '' ? undefined : zone;
  }
}

async function readNode(kube: Kube, name: string): Promise<Node | undefined> {
  try {
    return await kube.read<Node>({ resource: resources.node, name });
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}
