/**
 * The replicas' pods. The StatefulSet never replaces a pod by itself (`OnDelete`): the operator does, one at a time, when the
 * others can do without it. All start at once, since none is ready before enough of them exist.
 */
import type {
  V1Container,
  V1PersistentVolumeClaim,
  V1PodTemplateSpec,
} from '@kubernetes/client-node';
import { annotations } from '../../domain/names.ts';
import { adapterOf } from '../engines/adapters.ts';
import type { StatefulSet } from '../../domain/kinds.ts';
import { claimLabels, claimSpec } from './claim.ts';
import {
  agentContainer,
  dataMount,
  identityFlags,
  replicaIndex,
  replicaIndexEnv,
  withCpuLimit,
} from './container.ts';
import { dataFileOfAny } from './data-file.ts';
import { borrowerLabels } from '../store/lend.ts';
import { ownedMetadata, podLabels, podSelector, Role } from './metadata.ts';
import { podBasics, podMetadata, spread } from './pod.ts';
import type { Subject } from './subject.ts';
import { revisionOf, templateInputs } from './template.ts';

/** `live` is the existing StatefulSet, whose claim template cannot be changed and is kept. */
export function buildStatefulSet(subject: Subject, live?: StatefulSet): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: ownedMetadata(subject, subject.workload, {
      annotations: {
        [annotations.templateInputs]: templateInputs(subject),
        [annotations.templateRevision]: revisionOf(subject),
        ...(subject.peerCertificates === undefined
          ? {}
          : { [annotations.peerCertificates]: JSON.stringify(subject.peerCertificates) }),
      },
    }),
    spec: {
      // A Service of that name neither exists nor is needed: each replica has its own, and nothing looks names up.
      serviceName: subject.workload,
      replicas: subject.suspend ? 0 : subject.resolved.topology.replicas,
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'OnDelete' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      revisionHistoryLimit: 2,
      selector: podSelector(subject, Role.replica),
      template: podTemplate(subject),
      volumeClaimTemplates: [claimTemplate(subject, live)],
    },
  };
}

export function podTemplate(subject: Subject): V1PodTemplateSpec {
  const { engine } = subject.resolved;
  const adapter = adapterOf(engine.name);
  const { initContainers, sidecars, volumes, hostAliases } = adapter.beside(subject);
  const limited = (container: V1Container) => withCpuLimit(subject, container);
  return {
    metadata: podMetadata(subject, {
      labels: {
        ...podLabels(subject, Role.replica),
        ...(subject.archiving === undefined ? {} : borrowerLabels),
      },
      annotations: { 'kubectl.kubernetes.io/default-container': 'engine' },
    }),
    spec: {
      ...podBasics(subject),
      ...spread(subject, Role.replica),
      terminationGracePeriodSeconds: 30,
      initContainers: [
        ...(initContainers.length === 0 ? [check(subject)] : initContainers),
        ...sidecars,
      ].map(limited),
      containers: adapter.containers(subject).map(limited),
      ...(volumes.length === 0 ? {} : { volumes: [...volumes] }),
      ...(hostAliases.length === 0 ? {} : { hostAliases: [...hostAliases] }),
    },
  };
}

/** Checks that the data file exists, is complete and is the replica's own. Also run by the writer of a member's configuration. */
const check = (subject: Subject) =>
  agentContainer(
    subject,
    'check',
    [
      'check',
      `--path=${dataFileOfAny(subject)}`,
      ...identityFlags(subject, replicaIndex),
      `--engine=${subject.resolved.engine.name}`,
    ],
    [replicaIndexEnv],
  );

/**
 * The operator itself makes the claims, before there is a StatefulSet. If one is lost later, the StatefulSet's controller may
 * be the first to make it again; so that it is recognized as the database's own, it has the same labels but the index.
 */
function claimTemplate(subject: Subject, live: StatefulSet | undefined): V1PersistentVolumeClaim {
  const made = live?.spec?.volumeClaimTemplates?.[0];
  return {
    metadata: { name: dataMount.name, labels: made?.metadata?.labels ?? claimLabels(subject) },
    spec: made?.spec ?? claimSpec(subject),
  };
}
