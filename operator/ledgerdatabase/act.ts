/**
 * Carries out a plan's writes in order, each independently: the operator may end between any two of them. A refused write
 * stops only those that build on it.
 */
import { resources } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
import type { StallReason } from '../../domain/conditions.ts';
import { ApiError, type Kube, type KubeObject } from '../../base/kube/kube.ts';
import type { LedgerDatabase } from '../../domain/custom-resources.ts';
import { dependsOn, targetOf, type Action, type Purpose } from './actions.ts';
import { isFound, perform, type Result } from './perform.ts';

/** A write that cannot succeed until a person acts. */
export interface Refusal {
  readonly action: Action;
  readonly reason: StallReason | 'ExpansionFailed';
  readonly message: string;
}

/** A write that failed and may succeed later. Otherwise it equals the API server's error. */
export class WriteFailed extends ApiError {
  /** Message for people: the attempted write and the API server's message. */
  readonly told: string;

  constructor(action: Action, error: ApiError) {
    const { status, reason, retryAfterMs, causes } = error;
    super(error.message, { status, reason, retryAfterMs, causes, cause: error });
    const { resource, name } = targetOf(action);
    this.told = `the API server failed at ${resource.kind} ${name}: ${withoutPorts(error.message)}`;
  }
}

/** Removes the connection's own port from a message, which would make repeated failures look different. */
const withoutPorts = (message: string): string => message.replaceAll(/:\d+->/g, '->');

/**
 * Makes the writes and returns those refused for a reason that a retry does not cure. Throws other failures; the caller
 * retries the whole plan later.
 */
export async function act(
  kube: Kube,
  database: LedgerDatabase,
  actions: readonly Action[],
  onDone: (action: Action, result: Result) => void,
): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = [];
  const refused = new Set<Purpose>();
  for (const action of actions) {
    // Growth is refused volume by volume: one that cannot grow does not block the others.
    if (action.purpose !== 'growth' && dependsOn(action.purpose, refused)) {
      refused.add(action.purpose);
      continue;
    }
    const refusal = await tryOne(kube, database, action, onDone);
    if (refusal === undefined) continue;
    refusals.push(refusal);
    refused.add(action.purpose);
  }
  return refusals;
}

async function tryOne(
  kube: Kube,
  database: LedgerDatabase,
  action: Action,
  onDone: (action: Action, result: Result) => void,
): Promise<Refusal | undefined> {
  let result: Result;
  try {
    result = await perform(kube, database, action);
  } catch (error) {
    const refusal = refusalOf(action, error);
    if (refusal === undefined)
      throw error instanceof ApiError ? new WriteFailed(action, error) : error;
    return refusal;
  }
  if (result.taken !== undefined) return nameTaken(action, result.taken);
  onDone(action, result);
  return unseen(database, action, result);
}

function nameTaken(action: Action, existing: KubeObject): Refusal {
  const { namespace, resource } = targetOf(action);
  const where = `${resource.kind} ${namespace}/${existing.metadata.name}`;
  return {
    action,
    reason: action.purpose === 'volume' ? 'DataVolumesNotOurs' : 'NameTaken',
    message: `${where} ${ownerInWords(existing)}, and the operator does not change it; rename or delete it, or make the database under another name`,
  };
}

/**
 * Whether the caches do not show the object because admission changes its labels: the operator would make or relabel it again
 * and again.
 */
function unseen(database: LedgerDatabase, action: Action, { object }: Result): Refusal | undefined {
  const { resource, name } = targetOf(action);
  // Backups are found by the name of their database: they outlive it.
  if (resource === resources.backup) return undefined;
  // attempts.ts reports admission's changes of a StatefulSet.
  const labelled =
    action.verb === 'create' ||
    action.purpose === 'label' ||
    (action.verb === 'apply' && resource !== resources.statefulSet);
  if (!labelled || object === undefined || isFound(database, object)) return undefined;
  return {
    action,
    reason: 'ChangedByAdmission',
    message:
      `an admission webhook or a policy removes or changes the label ${labels.managedBy} or ${labels.uid} of ${resource.kind} ${name}, ` +
      'by which the operator finds its objects; let it leave these labels alone',
  };
}

function ownerInWords({ metadata }: KubeObject): string {
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  if (controller !== undefined) return `belongs to ${controller.kind} ${controller.name}`;
  const ofAnother = metadata.labels?.[labels.database];
  return ofAnother === undefined
    ? 'was not made by Ledgerhouse'
    : `belongs to another database ${ofAnother}`;
}

function refusalOf(action: Action, error: unknown): Refusal | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { kind } = targetOf(action).resource;
  const terminating = error.causes.some((cause) => cause.reason === 'NamespaceTerminating');
  // Our claim exists, but the cache has not seen it yet: the next look does.
  if (terminating || error.reason === 'AlreadyExists' || error.reason === 'Conflict')
    return undefined;
  if (error.status !== 422 && error.status !== 403 && error.status !== 400) return undefined;
  if (action.purpose === 'growth') {
    return { action, reason: 'ExpansionFailed', message: error.message };
  }
  if (
    action.purpose === 'service' &&
    /already allocated|not in the valid range/.test(error.message)
  ) {
    return {
      action,
      reason: 'ServiceIpLost',
      message:
        `the address that ${targetOf(action).name} had is taken by another Service: ${error.message}. Clients and replicas ` +
        'know that address; free it (kubectl get svc -A -o wide), and the operator takes it back',
    };
  }
  return {
    action,
    reason: 'RefusedByApiServer',
    message: `the API server refuses ${kind} ${targetOf(action).name}: ${error.message}`,
  };
}
