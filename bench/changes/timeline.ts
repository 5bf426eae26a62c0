/** Follows the pods and the resource of a database while its shape changes, in milliseconds since the beginning. */
import type { V1ContainerStatus } from '@kubernetes/client-node';
import { labels } from '../../domain/names.ts';
import { resources, type Pod } from '../../domain/kinds.ts';
import type { TestCluster } from '../../test/support/cluster/cluster.ts';
import type { Database } from '../../test/support/operator/operator-world.ts';

const everyMs = 100;

export class Timeline {
  readonly #cluster: TestCluster;
  readonly #name: string;
  readonly #beganMs = Date.now();
  readonly #lines: string[] = [];
  readonly #seen = new Map<string, string>();
  #isOver = false;
  readonly #done: Promise<void>;

  constructor(cluster: TestCluster, name: string) {
    this.#cluster = cluster;
    this.#name = name;
    this.#done = this.#follow();
  }

  /** Returns the lines: each is a change that was seen. */
  async stop(): Promise<readonly string[]> {
    this.#isOver = true;
    await this.#done;
    return this.#lines;
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      // While the API server is killed or slow, nothing is seen.
      await this.#look().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  async #look(): Promise<void> {
    const [pods, all] = await Promise.all([
      this.#cluster.list<Pod>(resources.pod, { labelSelector: `${labels.database}=${this.#name}` }),
      this.#cluster.list<Database>(resources.database),
    ]);
    const databases = all.filter(({ metadata }) => metadata.name === this.#name);
    for (const pod of pods) this.#note(pod.metadata.name ?? '', textOfPod(pod));
    for (const { metadata, status } of databases) {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      const goes = metadata.deletionTimestamp === undefined ? '' : 'goes; ';
      const text = `${goes}${status?.bootstrapped === true ? 'bootstrapped; ' : ''}${ready?.message ?? ''}`;
      this.#note(`${metadata.name} ${metadata.uid?.slice(0, 4)}`, text);
    }
    const present = new Set(pods.map(({ metadata }) => metadata.name ?? ''));
    for (const name of this.#seen.keys())
      if (!name.includes(' ') && !present.has(name)) this.#note(name, 'gone');
  }

  #note(name: string, text: string): void {
    if (this.#seen.get(name) === text) return;
    this.#seen.set(name, text);
    this.#lines.push(`${String(Date.now() - this.#beganMs).padStart(7)} ${name}: ${text}`);
  }
}

function textOfPod({ metadata, spec, status }: Pod): string {
  const goes = metadata.deletionTimestamp === undefined ? '' : ' goes';
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const where = spec?.nodeName === undefined ? ' no node' : '';
  return `${metadata.uid?.slice(0, 4)}${goes}${where} ${status?.phase} ${statuses.map(textOfContainer).join(', ')}`;
}

function textOfContainer({ name, ready, state }: V1ContainerStatus): string {
  if (state?.terminated !== undefined) return `${name} ended ${state.terminated.exitCode}`;
  if (state?.running === undefined) return `${name} waits`;
  return `${name} ${ready ? 'ready' : 'runs'}`;
}
