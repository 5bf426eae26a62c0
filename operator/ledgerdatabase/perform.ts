/** Sends one write of a plan. If the name is taken, finds the owner of the existing object. */
import { asApplied } from '../../base/kube/managed-fields.ts';
import { ApiError, type Kube, type KubeObject, type Reference } from '../../base/kube/kube.ts';
import { createIfNone } from '../../base/kube/create-if-none.ts';
import { labels, managedBy, uidOf } from '../../domain/names.ts';
import { resources, type Service } from '../../domain/kinds.ts';
import type { LedgerDatabase } from '../../domain/custom-resources.ts';
import type { Generation } from '../certificates/generations.ts';
import { issue } from '../certificates/issue.ts';
import { fieldManager } from '../field-managers.ts';
import { lendStore } from '../store/lend.ts';
import { targetOf, type Action } from './actions.ts';
import { belongsTo, isUnlabelledVolume } from './belongs-to.ts';

export interface Result {
  /** The object as the API server answered. */
  readonly object?: KubeObject | undefined;
  /** The existing object of somebody else that has the name. */
  readonly taken?: KubeObject | undefined;
  readonly issued?: Generation | undefined;
}

export function perform(kube: Kube, database: LedgerDatabase, action: Action): Promise<Result> {
  switch (action.verb) {
    case 'issue':
      return issueSecret(kube, action);
    case 'lend':
      return lend(kube, action);
    case 'create':
      return create(kube, database, action);
    case 'apply':
      return apply(kube, database, action);
    case 'patch':
      return sendPatch(kube, action);
    case 'delete':
    default:
      return sendDelete(kube, action);
  }
}

async function sendPatch(kube: Kube, action: Extract<Action, { verb: 'patch' }>): Promise<Result> {
  return { object: await kube.mergePatch(action.target, action.patch, { fieldManager }) };
}

async function sendDelete(
  kube: Kube,
  action: Extract<Action, { verb: 'delete' }>,
): Promise<Result> {
  const { target, uid, resourceVersion } = action;
  await kube.delete(target, { uid, resourceVersion, propagationPolicy: 'Background' });
  return {};
}

type Issue = Extract<Action, { verb: 'issue' }>;
type Lend = Extract<Action, { verb: 'lend' }>;
type Build = Extract<Action, { object: KubeObject }>;

async function lend(kube: Kube, { subject, store }: Lend): Promise<Result> {
  await lendStore(kube, subject, store);
  return {};
}

/** Creates the Secret of a generation. Nothing is issued if the number is taken. */
async function issueSecret(kube: Kube, action: Issue): Promise<Result> {
  const { subject, number, after, nowMs } = action;
  const { secret, generation } = await issue(subject, number, after, nowMs);
  const made = await createIfNone(kube, resources.secret, secret, { fieldManager });
  return made === undefined ? {} : { issued: generation };
}

/** The API server itself says whether the name is taken: the caches lag, and hold only objects labelled as ours. */
async function create(kube: Kube, database: LedgerDatabase, action: Build): Promise<Result> {
  const { resource, object } = action;
  try {
    return { object: await kube.create(resource, object, { fieldManager }) };
  } catch (error) {
    if (!(error instanceof ApiError && mayBeTaken(error))) throw error;
    const existing = await kube.read(targetOf(action));
    // It does not exist, or was deleted in between: the next look makes it.
    if (existing === undefined) throw error;
    if (!isOurs(database, existing)) return { taken: existing };
    return { object: await relabelled(kube, database, targetOf(action), existing, object) };
  }
}

/**
 * Whether an object of that name may exist. The API server checks quotas, policies and a Service's address before the name: it
 * refuses a second object for them, although nothing more is needed.
 */
const mayBeTaken = (error: ApiError): boolean =>
  error.reason === 'AlreadyExists' || isRefused(error);

/** Whether the API server refuses the content of a write, or the writer. */
const isRefused = ({ status }: ApiError): boolean =>
  status === 400 || status === 403 || status === 422;

/** Applies over an existing object, so that fields which are no longer applied are dropped, also those of its creation. */
async function apply(kube: Kube, database: LedgerDatabase, action: Build): Promise<Result> {
  const { resource, object } = action;
  const target = targetOf(action);
  const existing = await kube.read(target);
  if (existing === undefined) return create(kube, database, action);
  if (!isOurs(database, existing)) return { taken: existing };
  const send = () => kube.apply(resource, object, { fieldManager, force: true });
  try {
    await takeOver(kube, target, existing);
  } catch (error) {
    if (!(error instanceof ApiError && isRefused(error))) throw error;
    // A policy refuses every write that leaves somebody's changes on the object: they are reverted first.
    await takeOver(kube, target, await send());
  }
  const applied = await send();
  return { object: await withoutAdded(kube, target, applied, object) };
}

/** Removes ports that somebody has added to a Service: an apply leaves the elements of others in that list. */
async function withoutAdded(
  kube: Kube,
  target: Reference,
  applied: Service,
  desired: Service,
): Promise<KubeObject> {
  const ports = desired.spec?.ports;
  if (target.resource !== resources.service || applied.spec?.ports?.length === ports?.length)
    return applied;
  const { resourceVersion } = applied.metadata;
  const patch = { metadata: { resourceVersion }, spec: { ports } };
  return kube.mergePatch(target, patch, { fieldManager });
}

/** Gives the fields of an object's creation to server-side apply. */
async function takeOver(kube: Kube, target: Reference, { metadata }: KubeObject): Promise<void> {
  const { resourceVersion } = metadata;
  const managedFields = asApplied(metadata.managedFields ?? [], fieldManager);
  if (managedFields === undefined) return;
  const patch = { metadata: { resourceVersion, managedFields } };
  await kube.mergePatch(target, patch, { fieldManager });
}

/** Restores the labels of an object of the database: without them nobody finds it. */
async function relabelled(
  kube: Kube,
  database: LedgerDatabase,
  target: Reference,
  existing: KubeObject,
  desired: KubeObject,
): Promise<KubeObject> {
  if (isFound(database, existing)) return existing;
  const { resourceVersion } = existing.metadata;
  const patch = { metadata: { resourceVersion, labels: desired.metadata.labels } };
  return kube.mergePatch(target, patch, { fieldManager });
}

/** Whether the caches hold the object, and as one of this database. */
export const isFound = (database: LedgerDatabase, object: KubeObject): boolean =>
  object.metadata.labels?.[labels.managedBy] === managedBy && belongsTo(database, object);

const isOurs = (database: LedgerDatabase, object: KubeObject): boolean =>
  belongsTo(database, object) ||
  isControlledBy(database, object) ||
  (object.kind === 'PersistentVolumeClaim' && isUnlabelledVolume(database, object));

/** Only a writer of the object can name its controller: that is us, or somebody who may do the same with it. */
const isControlledBy = (database: LedgerDatabase, { metadata }: KubeObject): boolean =>
  metadata.namespace === database.metadata.namespace &&
  (metadata.ownerReferences ?? []).some(
    ({ controller, uid }) => controller === true && uid === uidOf(database),
  );
