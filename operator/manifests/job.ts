/**
 * A Job that makes a data file: it removes the leftovers of an earlier try, lets the engine make the file under another name,
 * and gives it its own name in one step once it is known to be complete and the right replica's. It can be killed at any
 * point and run again; it never touches an existing data file.
 */
import type { V1Container, V1PodSpec, V1ResourceRequirements } from '@kubernetes/client-node';
import { claimName, labels } from '../../domain/names.ts';
import type { MountedVolume } from '../engines/adapter.ts';
import { adapterOf } from '../engines/adapters.ts';
import type { Job } from '../../domain/kinds.ts';
import { agentContainer, containerSecurity, dataMount, identityFlags } from './container.ts';
import { dataFileOf, partialOf } from './data-file.ts';
import { ownedMetadata, podLabels, Role } from './metadata.ts';
import { podBasics, podMetadata } from './pod.ts';
import type { Subject } from './subject.ts';
import { WorkContainer } from './work-container.ts';

export interface Making {
  readonly subject: Subject;
  readonly index: number;
  readonly name: string;
  /** The engine's verb with its own flags; the flags for the file's identity and path are added. */
  readonly verb: readonly string[];
  readonly resources: V1ResourceRequirements;
  /** The engine whose program the verb is, if it is another one than the database's. */
  readonly program?: Subject['resolved']['engine'];
  /** Whether the verb changes the data file that is there, instead of making one. It checks the file itself. Default false. */
  readonly inPlace?: boolean;
  /** Volumes besides the data's. */
  readonly volumes?: readonly MountedVolume[];
  /** Labels of the pod besides the usual ones. */
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly placement: Pick<V1PodSpec, 'affinity' | 'topologySpreadConstraints'>;
}

export function buildJob(making: Making): Job {
  const { subject, index, name, placement, volumes = [] } = making;
  const replica = { [labels.replica]: String(index) };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: ownedMetadata(subject, name, { labels: { ...replica, [labels.role]: Role.job } }),
    spec: {
      backoffLimit: 3,
      // Never two pods at a time on one volume, and the end of a pod by a node's drain is not a failure.
      podReplacementPolicy: 'Failed',
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      template: {
        metadata: podMetadata(subject, {
          labels: { ...podLabels(subject, Role.job), ...replica, ...making.podLabels },
        }),
        spec: {
          ...podBasics(subject),
          ...placement,
          restartPolicy: 'Never',
          // The pod may be killed without harm.
          terminationGracePeriodSeconds: 5,
          ...containersOf(making),
          volumes: [
            {
              name: dataMount.name,
              persistentVolumeClaim: { claimName: claimName(subject.workload, index) },
            },
            ...volumes.map(({ volume }) => volume),
          ],
        },
      },
    },
  };
}

/** A file that is changed where it is needs no other container, and the database's clients wait for each. */
function containersOf(making: Making): Pick<V1PodSpec, 'initContainers' | 'containers'> {
  const { subject, index } = making;
  const path = dataFileOf(subject, index);
  if (making.inPlace === true) return { containers: [engineContainer(making, path)] };
  const install = [
    'install',
    `--path=${path}`,
    ...identityFlags(subject, index),
    `--engine=${subject.resolved.engine.name}`,
  ];
  return {
    initContainers: [
      agentContainer(subject, 'prepare', ['prepare', `--path=${path}`]),
      engineContainer(making, partialOf(path)),
    ],
    containers: [agentContainer(subject, WorkContainer.install, install)],
  };
}

function engineContainer(making: Making, path: string): V1Container {
  const { subject, index, verb, resources, volumes = [] } = making;
  const { program: engine = subject.resolved.engine } = making;
  const adapter = adapterOf(engine.name);
  return {
    name: WorkContainer.engine,
    image: engine.image,
    imagePullPolicy: 'IfNotPresent',
    ...(adapter.command === undefined ? {} : { command: [...adapter.command] }),
    args: [...verb, ...identityFlags(subject, index), path],
    resources,
    securityContext: containerSecurity(adapter.seccompProfile(subject)),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [dataMount, ...volumes.map(({ mount }) => mount)],
  };
}
