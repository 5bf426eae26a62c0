/**
 * Creating a database, in the order of the specification: may the organization provision at all; what does the catalog give;
 * is billing ready; then the rows, the job and the events in one transaction. Provisioning begins after its commit.
 */
import { randomBytes } from 'node:crypto';
import { countDatabases, createDatabase, findDatabaseByName } from '../store/databases.ts';
import { createJob } from '../store/jobs.ts';
import { holdSavedCreate, saveCreate } from '../store/saved-creates.ts';
import type { BillingBlock } from './billing-guard.ts';
import { choose, type Choice, type ChoiceRequest, type Price } from './choose.ts';
import {
  viewOf,
  type Caller,
  type DatabaseServices,
  type WithJob,
  type Within,
} from './database-service.ts';
import { tell } from './events.ts';
import { creation } from './provisioning-jobs.ts';
import type { Refusal } from './refusal.ts';

export interface CreateRequest extends ChoiceRequest {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly deletionProtection?: boolean | undefined;
  readonly catalogVersion?: string | undefined;
}

export interface CreationPlan {
  readonly name: string;
  readonly choice: Choice;
  readonly price: Price | undefined;
  readonly automatic: boolean;
  readonly deletionProtection: boolean;
  readonly catalogVersion: string;
}

/** `dry`: only what would be. `saved`: asked for earlier, and kept until now. */
export type Asking = 'now' | 'dry' | 'saved';

/** Everything that is checked before anything is made. */
export async function planCreation(
  services: DatabaseServices,
  caller: Caller,
  request: CreateRequest,
  asking: Asking = 'now',
): Promise<CreationPlan | Refusal> {
  const { organization } = caller;
  if (organization.status !== 'ACTIVE') {
    const detail = `The organization ${organization.slug} is suspended and may not create databases.`;
    return { refused: 'provisioning_not_permitted', detail };
  }
  const catalog = services.catalog();
  if (catalog === undefined) return noCatalog;
  if (request.catalogVersion !== undefined && request.catalogVersion !== catalog.version) {
    const detail = `The catalog is at version ${catalog.version} now.`;
    return { refused: 'catalog_changed', detail };
  }
  const chosen = choose(catalog.spec, request);
  if (!chosen.ok) return notInCatalog(chosen);
  const count = await countDatabases(services.store.read, organization.id);
  if (count >= services.databasesMax) return tooMany(services.databasesMax);
  // Else it would be made of what was kept, just when billing turns out to be ready, and its name be taken by itself.
  if (asking === 'now') await holdSavedCreate(services.store.read, organization.id, request.name);
  const billing = await services.billing.ensureReady(organization.id);
  if (!billing.ready) {
    const draftId =
      asking === 'now' ? await keepForLater(services, caller, request, billing) : null;
    return billingRequired(billing, draftId);
  }
  if (asking === 'dry') {
    const other = await findDatabaseByName(services.store.read, organization.id, request.name);
    if (other !== undefined) return nameTaken(request.name, other.id);
  }
  const { choice, price, automatic } = chosen;
  return {
    name: request.name,
    choice,
    price,
    automatic,
    deletionProtection: request.deletionProtection ?? choice.nodeCount > 1,
    catalogVersion: catalog.version,
  };
}

/** Tells that billing is missing, and keeps what was asked for until it is there. */
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
  { store }: DatabaseServices,
  { organization, author }: Caller,
  plan: CreationPlan,
  labels: Readonly<Record<string, string>>,
  within: Within<WithJob>,
): Promise<WithJob | Refusal> {
  const { nodeCount: _, ...choice } = plan.choice;
  const price = plan.price && agreed(plan.price);
  return store.change(author, async (change) => {
    const made = await createDatabase(
      change,
      {
        organizationId: organization.id,
        name: plan.name,
        mode: 'new',
        deletionProtection: plan.deletionProtection,
        labels,
        kubernetesNamespace: organization.namespace,
        clusterId: newClusterId(),
      },
      { ...choice, price: price ?? null },
    );
    if ('taken' in made) return nameTaken(plan.name, made.existingId);
    const job = await createJob(change, {
      ...creation(made.database),
      ...(!plan.automatic && { message: byHand }),
    });
    if ('inProgress' in job) throw new Error('a new database has a job already');
    tell(change, 'database.created', made.database, { job });
    const result = viewOf(made.database, made.profile, job);
    await within(change, result);
    return result;
  });
}

function agreed({ currency, amount, lines }: Price) {
  const [, storage] = lines;
  return { currency, monthly: amount, ...(storage && { storage: storage.amount }) };
}

export const byHand = 'People of the provider make this database; it is ready when they say so.';

/** Neither 0, which is for tests, nor the greatest. */
function newClusterId(): string {
  return String((BigInt(`0x${randomBytes(16).toString('hex')}`) % (2n ** 128n - 2n)) + 1n);
}

export const nameTaken = (name: string, existingDatabaseId: string): Refusal => ({
  refused: 'database_name_taken',
  detail: `There is a database ${name} in this organization.`,
  members: existingDatabaseId === '' ? {} : { existingDatabaseId },
});

export const tooMany = (databasesMax: number): Refusal => ({
  refused: 'quota_exceeded',
  detail: `The organization has ${databasesMax} databases, which is as many as it may have.`,
});

const noCatalog: Refusal = {
  refused: 'service_unavailable',
  detail:
    'There is no catalog to choose from: the operators of the service have to apply a LedgerCatalog named "default".',
  retryAfterSeconds: 10,
};

function notInCatalog({
  errors,
  supportedTopologies,
}: Exclude<ReturnType<typeof choose>, { ok: true }>): Refusal {
  const detail = `${errors.map((error) => error.detail).join('. ')}.`;
  if (supportedTopologies === undefined) {
    return { refused: 'catalog_choice_unavailable', detail, members: { errors } };
  }
  return {
    refused: 'storage_unavailable_for_topology',
    detail,
    members: { errors, supportedClusterConfigurations: supportedTopologies },
  };
}

const billingRequired = (
  { checkoutUrl, expiresAt, reason, sessionId }: BillingBlock,
  draftId: string | null,
): Refusal => ({
  refused: 'billing_required',
  detail:
    draftId === null
      ? 'Set billing up at billing.checkoutUrl, then send the request again.'
      : 'Set billing up at billing.checkoutUrl; the database is then made as it was asked for.',
  members: {
    success: false,
    billing: {
      checkoutUrl,
      expiresAt: expiresAt?.toISOString() ?? null,
      reason,
      sessionId,
      draftId,
    },
    provisioning: {
      status: 'BLOCKED_BY_BILLING',
      started: false,
      message: 'Set billing up to create databases.',
      estimatedSeconds: null,
    },
  },
});
