/** What a database's life is made of when it is led over HTTP: created, changed, deleted, restored. */
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
  /** Whether its resource is protected in Kubernetes, as of now. */
  readonly isProtected: (database: Database) => Promise<boolean>;
  /** Databases of an organization that are not deleted, at most. */
  readonly databasesMax: number;
  readonly now: () => Date;
}

/** Who asks, for which organization. */
export interface Caller {
  readonly organization: Organization;
  readonly author: Author;
}

export interface WithJob extends DatabaseView {
  readonly job: Job;
}

/** Done in the same transaction as what it is told of: the answer to an idempotent request is kept there. */
export type Within<T> = (change: Change, result: T) => Promise<void>;

export const viewOf = (database: Database, profile: Profile, job: Job): WithJob => ({
  database,
  profile,
  job,
  activeJobId: job.finishedAt === null ? job.id : null,
});
