/** Notes each write that the API server took, and holds what destroys against what there really is at that moment. */
import { annotations, labels } from '../../../domain/names.ts';
import { isReady, replicaPods } from '../../../operator/ledgerdatabase/replica-pods.ts';
import { resources, type Claim, type Pod } from '../../../domain/kinds.ts';
import type { Kube, KubeObject, Reference } from '../../../base/kube/kube.ts';
import type { Database } from './operator-world.ts';

export class WatchedWrites {
  /** `create Job/payments-5e1f0c-format-0` */
  readonly done: string[] = [];
  /** Promises that were broken. */
  readonly violations: string[] = [];
  readonly #namespace: string;
  /** Not the operator's own way to the API server. */
  readonly #witness: Kube;

  constructor(namespace: string, witness: Kube) {
    this.#namespace = namespace;
    this.#witness = witness;
  }

  wrap(kube: Kube): Kube {
    const noted = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
      const answer = await run();
      this.done.push(what);
      return answer;
    };
    const nameOf = (object: KubeObject) => `${object.kind}/${object.metadata.name ?? ''}`;
    return {
      serverTimeMs: () => kube.serverTimeMs(),
      read: (reference) => kube.read(reference),
      list: (resource, options) => kube.list(resource, options),
      create: async (resource, object, options) => {
        if (resource.kind === 'Job') await this.#checkFormat(nameOf(object), object);
        return noted(`create ${nameOf(object)}`, () => kube.create(resource, object, options));
      },
      apply: (resource, object, options) =>
        noted(`apply ${nameOf(object)}`, () => kube.apply(resource, object, options)),
      mergePatch: (reference, patch, options) =>
        noted(`patch ${reference.resource.kind}/${reference.name}`, () =>
          kube.mergePatch(reference, patch, options),
        ),
      delete: async (reference, options) => {
        await this.#checkDelete(reference);
        return noted(`delete ${reference.resource.kind}/${reference.name}`, () =>
          kube.delete(reference, options),
        );
      },
    };
  }

  async #checkFormat(job: string, { metadata }: KubeObject): Promise<void> {
    if (metadata.name?.includes('-format-') !== true) return;
    const [database] = await this.#witness.list<Database>(resources.database, {
      namespace: this.#namespace,
    });
    if (database?.status?.bootstrapped === true) {
      this.violations.push(`${job} though the latch is set`);
    }
    const claims = await this.#list<Claim>('claim');
    const index = metadata.labels?.[labels.replica];
    const made = claims.find((claim) => claim.metadata.labels?.[labels.replica] === index);
    if (made?.metadata.annotations?.[annotations.formatted] !== undefined) {
      this.violations.push(`${job} though its volume was formatted`);
    }
    if ((await this.#list('statefulSet')).length > 0) {
      this.violations.push(`${job} though there is a StatefulSet`);
    }
  }

  async #checkDelete({ resource, name }: Reference): Promise<void> {
    if (resource.kind === 'PersistentVolumeClaim') {
      const [database] = await this.#witness.list<Database>(resources.database, {
        namespace: this.#namespace,
      });
      const going = database?.metadata.deletionTimestamp !== undefined;
      if (!going || database.spec.deletionPolicy !== 'Delete') {
        this.violations.push(`deleted ${name} of a database that keeps its volumes`);
      }
    }
    if (resource.kind !== 'Pod') return;
    const pods = replicaPods(await this.#list<Pod>('pod'));
    const set = await this.#list<KubeObject & { spec: { replicas: number } }>('statefulSet');
    const others = pods.filter((pod) => pod.metadata.name !== name && isReady(pod));
    if (others.length < (set[0]?.spec.replicas ?? 0) - 1) {
      this.violations.push(`deleted ${name} while only ${others.length} others were ready`);
    }
  }

  #list<T extends KubeObject>(kind: 'claim' | 'statefulSet' | 'pod'): Promise<readonly T[]> {
    return this.#witness.list<T>(resources[kind], { namespace: this.#namespace });
  }
}
