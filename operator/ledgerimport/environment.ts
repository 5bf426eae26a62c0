/** Inputs of a look at a trial of rows. */
import type { Cache, Kube } from '../../base/kube/kube.ts';
import type { CatalogObject, ImportObject } from '../../domain/custom-resources.ts';
import type { Job, Pod } from '../../domain/kinds.ts';
import type { TestTurns } from '../ledgerbackup/test-turns.ts';
import type { PlanOptions } from '../ledgerdatabase/subject-of.ts';

export interface ImportEnvironment {
  readonly kube: Kube;
  readonly options: PlanOptions;
  readonly imports: Cache<ImportObject>;
  readonly catalogs: Cache<CatalogObject>;
  readonly jobs: Cache<Job>;
  readonly pods: Cache<Pod>;
  /** One for this process, as there is one leader. */
  readonly importTurns: TestTurns;
  readonly nowMs: () => number;
}
