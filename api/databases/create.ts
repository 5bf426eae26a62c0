/**
 * Creates a database in the specified order: whether the organization may have one, the choice from the catalog, whether billing
 * is ready, then the rows, the job and the events in one transaction. Provisioning begins after its commit.
 */
import { randomBytes } from 'node:crypto';
import { requireActive } from '../auth/suspension.ts';
import { Refusal } from '../model/refusal.ts';
import type { ImportedFrom, RestoredFrom } from '../store/database-record.ts';
import { createDatabase, findDatabaseByName, nameTaken } from '../store/databases.ts';
import { createJob } from '../store/jobs.ts';
import { holdSavedCreate, saveCreate } from '../store/saved-creates.ts';
import { refuseArchiving } from './refuse-archiving.ts';
import type { BillingBlock, BillingReason } from './billing-guard.ts';
import type { Capacity } from '../../domain/catalog/capacity.ts';
import { capacityOfChoice, choose, type Choice, type ChoiceRequest, type Price } from './choose.ts';
import {
  viewOf,
  type Caller,
  type DatabaseServices,
  type WithJob,
  type Within,
} from './database-service.ts';
import { tell } from './events.ts';
import { billingRequired, requireRoom } from './guards.ts';
import {
  creation,
  fillingFromBackup,
  importation,
  restorationFromBackup,
} from './provisioning-jobs.ts';

export interface CreateRequest extends ChoiceRequest {
  readonly name: string;
  readonly continuousArchiving?: { readonly rpoSeconds: number } | null | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly deletionProtection?: boolean | undefined;
  readonly catalogVersion?: string | undefined;
}

export interface CreationPlan {
  readonly name: string;
  readonly choice: Choice;
  readonly price: Price | undefined;
  readonly capacity: Capacity | null;
  readonly automatic: boolean;
  /** In a dry run: why billing would refuse the real request. */
  readonly billingReason: BillingReason | undefined;
  readonly deletionProtection: boolean;
  /** Time within which the archived log has an operation; null: it is not archived. */
  readonly archiveRpoSeconds: number | null;
  readonly catalogVersion: string;
  /** The backup that it begins with; empty when absent. */
  readonly restoredFrom?: RestoredFrom;
  /** The import that it begins with. */
  readonly importedFrom?: ImportedFrom;
}

/**
 * `dry`: checks without making anything. `saved`: a saved create, requested earlier. `restore`: a database that begins with a backup or an
 * import; it is not saved for later, because a saved create makes an empty one.
 */
type Asking = 'now' | 'dry' | 'saved' | 'restore';

/** Makes all checks before anything is made. Throws a `Refusal`. */
export async function planCreation(
  services: DatabaseServices,
  caller: Caller,
  request: CreateRequest,
  asking: Asking = 'now',
): Promise<CreationPlan> {
  const { organization } = caller;
  requireActive(organization);
  const catalog = services.catalog();
  if (catalog === undefined) throw noCatalog();
  if (request.catalogVersion !== undefined && request.catalogVersion !== catalog.version) {
    const detail = `The catalog is now at version ${catalog.version}. Read it again and send that version.`;
    throw new Refusal('catalog_changed', { detail });
  }
  const chosen = choose(catalog.spec, request);
  if (!chosen.ok) throw notInCatalog(chosen);
  refuseArchiving(chosen.choice.engine, request.continuousArchiving);
  await services.store.change(caller.author, (change) =>
    requireRoom(change, organization.id, services.databasesMax, 1),
  );
  // Holds a saved create of this name. If billing became ready now, that create would be executed and take the name.
  if (asking === 'now') await holdSavedCreate(services.store.read, organization.id, request.name);
  if (asking !== 'dry') await requireBilling(services, caller, request, asking);
  else {
    const other = await findDatabaseByName(services.store.read, organization.id, request.name);
    if (other !== undefined) throw nameTaken(request.name, other.id);
  }
  const { choice, price, automatic } = chosen;
  return {
    name: request.name,
    choice,
    price,
    capacity: capacityOfChoice(catalog.spec, choice),
    automatic,
    billingReason:
      asking === 'dry' ? await services.billing.reasonNotReady(organization.id) : undefined,
    deletionProtection: request.deletionProtection ?? choice.nodeCount > 1,
    archiveRpoSeconds: request.continuousArchiving?.rpoSeconds ?? null,
    catalogVersion: catalog.version,
  };
}

async function requireBilling(
  services: DatabaseServices,
  caller: Caller,
  request: CreateRequest,
  asking: Asking,
): Promise<void> {
  const billing = await services.billing.ensureReady(caller.organization.id);
  if (billing.ready) return;
  const draftId = asking === 'now' ? await keepForLater(services, caller, request, billing) : null;
  throw billingRequired(billing, draftId);
}

/** Emits that billing is missing, and saves the create until it is ready. */
function keepForLater(
  { store }: DatabaseServices,
  { organization: { id, name }, author }: Caller,
  request: CreateRequest,
  { reason }: BillingBlock,
): Promise<string | null> {
  return store.change(author, async (change) => {
    change.emit({
      organizationId: id,
      type: 'billing.setup_required',
      outcome: 'DENIED',
      subject: { type: 'organization', id, display: name },
      data: { reason },
    });
    return saveCreate(change, id, request);
  });
}

export async function createPlanned(
  { store, databasesMax }: DatabaseServices,
  { organization, author }: Caller,
  plan: CreationPlan,
  labels: Readonly<Record<string, string>>,
  within: Within<WithJob>,
): Promise<WithJob> {
  const { nodeCount: _, ...choice } = plan.choice;
  const price = plan.price && agreed(plan.price);
  return store.change(author, async (change) => {
    await requireRoom(change, organization.id, databasesMax, 1);
    const { database, profile } = await createDatabase(
      change,
      {
        organizationId: organization.id,
        name: plan.name,
        mode: plan.importedFrom === undefined ? 'new' : 'import',
        deletionProtection: plan.deletionProtection,
        labels,
        kubernetesNamespace: organization.namespace,
        clusterId: keptClusterId(plan) ?? newClusterId(),
        restoredFrom: plan.restoredFrom ?? null,
        importedFrom: plan.importedFrom ?? null,
      },
      {
        ...choice,
        autogrowLimitGb: null,
        archiveRpoSeconds: plan.archiveRpoSeconds,
        streamsSuspended: false,
        suspended: false,
        price: price ?? null,
      },
    );
    const job = await createJob(change, {
      ...jobFor(plan)(database),
      ...(!plan.automatic && { message: byHand }),
    });
    tell(change, 'database.created', database, { job });
    const result = viewOf(database, profile, job);
    await within(change, result);
    return result;
  });
}

function jobFor({ restoredFrom, importedFrom, choice }: CreationPlan) {
  if (restoredFrom !== undefined)
    return choice.engine === 'Builtin' || restoredFrom.clusterId !== undefined
      ? restorationFromBackup
      : fillingFromBackup;
  return importedFrom === undefined ? creation : importation;
}

function agreed({ currency, amount, lines }: Price) {
  const [, storage] = lines;
  return { currency, monthly: amount, ...(storage && { storage: storage.amount }) };
}

export const byHand =
  'The provider makes this database by hand; it is ready when the provider completes the job.';

/** The ID of a cluster that goes on with files of TigerBeetle: it is in each of their blocks, and cannot be changed. */
const keptClusterId = ({ importedFrom, restoredFrom, choice }: CreationPlan): string | undefined =>
  choice.engine === 'TigerBeetle'
    ? (importedFrom?.clusterId ?? restoredFrom?.clusterId)
    : undefined;

/** Returns a random cluster ID, but not 0, which is for tests, nor the greatest. */
function newClusterId(): string {
  return String((BigInt(`0x${randomBytes(16).toString('hex')}`) % (2n ** 128n - 2n)) + 1n);
}

export const noCatalog = (): Refusal =>
  new Refusal('service_unavailable', {
    detail:
      'No catalog exists. The operators of the service must apply a LedgerCatalog named "default".',
    retryAfterSeconds: 10,
  });

function notInCatalog({
  errors,
  supportedTopologies,
}: Exclude<ReturnType<typeof choose>, { ok: true }>): Refusal {
  const detail = `${errors.map((error) => error.detail).join('. ')}.`;
  if (supportedTopologies === undefined) {
    return new Refusal('catalog_choice_unavailable', { detail, errors });
  }
  return new Refusal('storage_unavailable_for_topology', {
    detail,
    errors,
    members: { supportedClusterConfigurations: supportedTopologies },
  });
}
