import type { CatalogView } from '../kubernetes/cluster-view.ts';
import type { Store } from '../store/store.ts';
import type { StagingStore } from './staging-store.ts';

/** The services that operations on imports need. */
export interface ImportServices {
  readonly store: Store;
  /** `undefined`: the service takes no files. */
  readonly staging: StagingStore | undefined;
  /** Throws a `Refusal` while there is none. */
  readonly catalog: () => CatalogView;
  /** Maximum of the bytes of an organization's open imports; `undefined`: the catalog's largest storage. */
  readonly bytesMax: number | undefined;
  readonly now: () => Date;
}
