/** Mutating admission, as image rewriters and policies do it: on Jobs and StatefulSets that are created or changed. */
import type { KubeObject } from '../../base/kube/kube.ts';

interface Container {
  readonly image?: string;
  readonly resources?: object;
}
interface PodSpec {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
}

/** Changes the containers of pod templates; everything else stays. */
const ofTemplates =
  (change: (container: Container) => Container) =>
  <T extends KubeObject>(object: T): T => {
    if (object.kind !== 'Job' && object.kind !== 'StatefulSet') return object;
    const { spec } = object as unknown as { spec?: { template?: { spec?: PodSpec } } };
    const pod = spec?.template?.spec;
    if (pod === undefined) return object;
    const containers = (pod.containers ?? []).map(change);
    const initContainers = (pod.initContainers ?? []).map(change);
    const template = { ...spec?.template, spec: { ...pod, containers, initContainers } };
    return { ...object, spec: { ...spec, template } };
  };

let times = 0;

export const admissions = {
  none: <T extends KubeObject>(object: T): T => object,
  /** Every image comes from a mirror. */
  mirror: ofTemplates((container) => {
    const { image = '' } = container;
    return image.startsWith('mirror/') ? container : { ...container, image: `mirror/${image}` };
  }),
  /** Every image is replaced by the same one. */
  pin: ofTemplates((container) => ({ ...container, image: 'ledgerhouse/pinned:0' })),
  /** Another limit each time. */
  restless: ofTemplates((container) => ({
    ...container,
    resources: { ...container.resources, limits: { memory: `${(times += 1)}Mi` } },
  })),
} as const;
