/**
 * The container of a Job in which its work is done. It goes by its name: a service mesh or a policy may have put containers before it or
 * beside it, and one that goes on keeps the Job from ending.
 */
import type { V1ContainerStateTerminated } from '@kubernetes/client-node';
import type { Pod } from '../../domain/kinds.ts';

/** The names, one for each kind of Job; `sweep` is in the chart. */
export const WorkContainer = {
  backup: 'backup',
  verify: 'verify',
  remove: 'remove',
  trial: 'trial',
  fill: 'fill',
  sweep: 'sweep',
  /** Gives a data file its own name, after the engine has made it in a container before. */
  install: 'install',
  /** Changes a data file where it is. */
  engine: 'engine',
} as const;
export type WorkContainer = (typeof WorkContainer)[keyof typeof WorkContainer];

const names: ReadonlySet<string> = new Set(Object.values(WorkContainer));

/** How the work in the pod of a Job ended; `undefined`: it has not. */
export const endOfWork = ({ status }: Pod): V1ContainerStateTerminated | undefined =>
  status?.containerStatuses?.find(({ name }) => names.has(name))?.state?.terminated;

/** Containers that still run, although the work has ended. */
export const beside = (pod: Pod): readonly string[] =>
  endOfWork(pod) === undefined
    ? []
    : (pod.status?.containerStatuses ?? [])
        .filter(({ state }) => state?.running !== undefined)
        .map(({ name }) => name);
