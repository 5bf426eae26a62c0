/** Shared types of the operations on databases over HTTP: create, change, delete, restore. */
import type { BillingGuard } from './billing-guard.ts';
import type { Author } from '../model/actor.ts';
import type { Job } from '../model/job.ts';
import type { CatalogView } from '../kubernetes/cluster-view.ts';
import type { Change } from '../store/change.ts';
import type { Database, DatabaseView, Profile } from '../store/database-record.ts';
import type { Organization } from '../store/organizations.ts';
import type { Store } from '../store/store.ts';

export interface DatabaseServices {
  readonly store: Store;
  readonly billing: BillingGuard;
  readonly catalog: () => CatalogView | undefined;
  /** Whether the database's resource is protected in Kubernetes now. */
  readonly isProtected: (database: Database) => Promise<boolean>;
  /** Maximum number of an organization's databases; deleted ones count until they are purged. */
  readonly databasesMax: number;
  readonly now: () => Date;
}

/** The author of a request and the organization that it is for. */
export interface Caller {
  readonly organization: Organization;
  readonly author: Author;
}

export interface WithJob extends DatabaseView {
  readonly job: Job;
}

/** Runs in the transaction that made `result`. It stores the answer to an idempotent request. */
export type Within<T> = (change: Change, result: T) => Promise<void>;

export const viewOf = (database: Database, profile: Profile, job: Job): WithJob => ({
  database,
  profile,
  job,
  activeJobId: job.finishedAt === null ? job.id : null,
});
