/** Checks before a resource that this service did not make gets a row. */
import type { KubeObject } from '../../base/kube/kube.ts';
import type { Change } from '../store/change.ts';
import {
  findOrganizationByNamespace,
  lockOrganization,
  type Organization,
} from '../store/organizations.ts';
import type { Store } from '../store/store.ts';

interface Asking {
  readonly store: Store;
  /** Reads from the API server. */
  readonly read: (place: {
    readonly namespace: string;
    readonly name: string;
  }) => Promise<KubeObject | undefined>;
}

/**
 * The maker of a resource in an organization's namespace. It is read from the API server, because the cache holds no field
 * managers.
 */
export async function makerOf(
  { store, read }: Asking,
  { metadata }: KubeObject,
): Promise<string | undefined> {
  const { namespace = '', name = '', uid } = metadata;
  if ((await findOrganizationByNamespace(store.read, namespace)) === undefined) return undefined;
  const found = await read({ namespace, name });
  if (found?.metadata.uid !== uid) return undefined;
  // Other programs write its status.
  const entry = found?.metadata.managedFields?.find(({ subresource }) => !subresource);
  return entry?.manager ?? 'unknown';
}

/**
 * Locks the organization that has a namespace, so that nobody purges it meanwhile. `undefined`: no living organization has it.
 */
export async function lockOrganizationOf(
  change: Change,
  namespace: string,
): Promise<Organization | undefined> {
  const found = await findOrganizationByNamespace(change.db, namespace);
  if (found === undefined) return undefined;
  return (await lockOrganization(change, found.id))?.deletedAt === null ? found : undefined;
}
