/** The writes that a plan consists of. */
import { resources } from '../../domain/kinds.ts';
import { peerSecretName } from '../../domain/names.ts';
import type { KubeObject, Reference, Resource } from '../../base/kube/kube.ts';
import type { Generation } from '../certificates/generations.ts';
import type { Subject } from '../manifests/subject.ts';

interface Common {
  /** Why, in a few words: it is logged, and names what failed. */
  readonly purpose: Purpose;
  /** Done only when a plan made from the API server's own word asks for it too: what it destroys, or does but once. */
  readonly guarded: boolean;
}

export const Purpose = {
  service: 'service',
  connection: 'connection',
  networkPolicy: 'networkPolicy',
  disruptionBudget: 'disruptionBudget',
  volume: 'volume',
  adoption: 'adoption',
  format: 'format',
  recovery: 'recovery',
  certificates: 'certificates',
  workload: 'workload',
  growth: 'growth',
  rollout: 'rollout',
  finalizer: 'finalizer',
  purge: 'purge',
  record: 'record',
} as const;
export type Purpose = (typeof Purpose)[keyof typeof Purpose];

/** What is not done once a write of one of these purposes was refused: it builds on it. All else goes on. */
const foundations: Readonly<Partial<Record<Purpose, readonly Purpose[]>>> = {
  // Nothing unlabelled shall reach an engine, not even in its first second.
  format: ['volume', 'adoption', 'networkPolicy'],
  recovery: ['volume', 'networkPolicy'],
  workload: ['volume', 'adoption', 'networkPolicy', 'certificates', 'service'],
  // A pod that comes back must be reached by the others, and be made from the newest template.
  rollout: ['workload', 'certificates', 'service', 'recovery'],
  finalizer: ['purge'],
};

export const dependsOn = (purpose: Purpose, refused: ReadonlySet<Purpose>): boolean =>
  refused.has(purpose) || (foundations[purpose] ?? []).some((one) => refused.has(one));

export type Action = Common &
  (
    | {
        /** Server-side apply. `creates`: nothing of ours has that name yet, so nothing of anybody's may. */
        readonly verb: 'apply';
        readonly creates: boolean;
        readonly resource: Resource;
        readonly object: KubeObject;
      }
    | { readonly verb: 'create'; readonly resource: Resource; readonly object: KubeObject }
    | {
        /** Makes a generation of certificates and creates its Secret; what is in it is known to nobody before. */
        readonly verb: 'issue';
        readonly subject: Subject;
        readonly number: number;
        /** The generations that go on being trusted. */
        readonly after: readonly Generation[];
        readonly nowMs: number;
      }
    | { readonly verb: 'patch'; readonly target: Reference; readonly patch: object }
    | {
        readonly verb: 'delete';
        readonly target: Reference;
        readonly uid: string;
        readonly resourceVersion: string | undefined;
      }
  );

export function targetOf(action: Action): Reference {
  if (action.verb === 'issue') {
    const { namespace, workload, uid } = action.subject;
    return {
      resource: resources.secret,
      namespace,
      name: peerSecretName(workload, uid, action.number),
    };
  }
  if (action.verb === 'patch' || action.verb === 'delete') return action.target;
  const { namespace, name = '' } = action.object.metadata;
  return { resource: action.resource, namespace, name };
}

/** Deletes exactly what was seen. */
export function deletion(
  purpose: Purpose,
  resource: Resource,
  object: KubeObject,
  options: { unchanged?: boolean } = {},
): Action {
  return {
    verb: 'delete',
    purpose,
    guarded: true,
    target: { resource, namespace: object.metadata.namespace, name: object.metadata.name ?? '' },
    uid: object.metadata.uid ?? '',
    resourceVersion: options.unchanged === true ? object.metadata.resourceVersion : undefined,
  };
}

/** A merge patch that is refused when the object has moved since it was seen. */
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
