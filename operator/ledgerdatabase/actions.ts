/** Writes of a plan. */
import { resources } from '../../domain/kinds.ts';
import { peerSecretName } from '../../domain/names.ts';
import type { KubeObject, Reference, Resource } from '../../base/kube/kube.ts';
import type { Generation } from '../certificates/generations.ts';
import type { Subject } from '../manifests/subject.ts';
import type { BackupStore } from '../store/backup-store.ts';

interface Common {
  /** Reason in a word: it is logged, and identifies a failed write. */
  readonly purpose: Purpose;
  /** The write destroys something or happens only once. It needs a second plan, made from data read from the API server. */
  readonly guarded: boolean;
}

export const Purpose = {
  label: 'label',
  service: 'service',
  connection: 'connection',
  networkPolicy: 'networkPolicy',
  disruptionBudget: 'disruptionBudget',
  volume: 'volume',
  adoption: 'adoption',
  store: 'store',
  format: 'format',
  fill: 'fill',
  recovery: 'recovery',
  certificates: 'certificates',
  workload: 'workload',
  growth: 'growth',
  rollout: 'rollout',
  finalizer: 'finalizer',
  purge: 'purge',
  record: 'record',
  policy: 'policy',
  backup: 'backup',
} as const;
export type Purpose = (typeof Purpose)[keyof typeof Purpose];

/** Writes that are skipped once a write of one of these purposes was refused, because they build on it. Others go on. */
const foundations: Readonly<Partial<Record<Purpose, readonly Purpose[]>>> = {
  // No unlabelled pod may reach an engine, not even in its first second.
  format: ['volume', 'adoption', 'networkPolicy', 'store'],
  fill: ['networkPolicy', 'store', 'workload'],
  recovery: ['volume', 'networkPolicy'],
  workload: ['volume', 'adoption', 'networkPolicy', 'certificates', 'service'],
  // The others must be able to reach a restarted pod, which must be made from the newest template.
  rollout: ['workload', 'certificates', 'service', 'recovery'],
  finalizer: ['purge'],
};

export const dependsOn = (purpose: Purpose, refused: ReadonlySet<Purpose>): boolean =>
  refused.has(purpose) || (foundations[purpose] ?? []).some((one) => refused.has(one));

export type Action = Common &
  (
    | {
        /** `create`: nobody has an object of that name yet. `apply`: server-side apply to one that is there. */
        readonly verb: 'create' | 'apply';
        readonly resource: Resource;
        readonly object: KubeObject;
      }
    | {
        /** Makes a generation of certificates and creates its Secret; its content does not exist before. */
        readonly verb: 'issue';
        readonly subject: Subject;
        readonly number: number;
        /** The earlier generations that stay trusted. */
        readonly after: readonly Generation[];
        readonly nowMs: number;
      }
    | {
        /** Gives Jobs of the database the credentials of the store of backups, and the way to it. */
        readonly verb: 'lend';
        readonly subject: Subject;
        readonly store: BackupStore;
      }
    | { readonly verb: 'patch'; readonly target: Reference; readonly patch: object }
    | {
        readonly verb: 'delete';
        readonly target: Reference;
        readonly uid: string;
        readonly resourceVersion: string | undefined;
      }
  );

/** Whether the write only notes on an object what has happened to it: it is right whatever has become of the database since. */
export const isNote = ({ verb, purpose, guarded }: Action): boolean =>
  !guarded && verb !== 'create' && (purpose === 'format' || purpose === 'record');

/** Whether the write only adds something, so that the next plan can build on the API server's answer at once. */
export const isAddition = ({ verb, purpose }: Action): boolean =>
  verb === 'create' || (verb === 'patch' && (purpose === 'format' || purpose === 'label'));

export function targetOf(action: Action): Reference {
  if (action.verb === 'issue') {
    const { namespace, workload, uid } = action.subject;
    return {
      resource: resources.secret,
      namespace,
      name: peerSecretName(workload, uid, action.number),
    };
  }
  if (action.verb === 'lend') {
    const { namespace, workload } = action.subject;
    return { resource: resources.networkPolicy, namespace, name: `${workload}-store` };
  }
  if (action.verb === 'patch' || action.verb === 'delete') return action.target;
  const { namespace, name = '' } = action.object.metadata;
  return { resource: action.resource, namespace, name };
}

/**
 * Deletes exactly the observed object, and only if it has not changed since: a process that was frozen after its decision may
 * send it much later.
 */
export function deletion(purpose: Purpose, resource: Resource, object: KubeObject): Action {
  return {
    verb: 'delete',
    purpose,
    guarded: true,
    target: { resource, namespace: object.metadata.namespace, name: object.metadata.name ?? '' },
    uid: object.metadata.uid ?? '',
    resourceVersion: object.metadata.resourceVersion,
  };
}

/** A merge patch that is refused when the object has changed since it was observed. */
export function patchOf(
  purpose: Purpose,
  resource: Resource,
  object: KubeObject,
  patch: { metadata?: object; spec?: object },
): Action {
  return {
    verb: 'patch',
    purpose,
    guarded: false,
    target: { resource, namespace: object.metadata.namespace, name: object.metadata.name ?? '' },
    patch: {
      ...patch,
      metadata: { ...patch.metadata, resourceVersion: object.metadata.resourceVersion },
    },
  };
}
