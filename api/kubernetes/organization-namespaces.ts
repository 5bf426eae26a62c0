/**
 * Organizations' namespaces. The API gives defaults to a namespace that it makes, once: an administrator's later changes and
 * deletions stay. A namespace that an administrator made and labelled is left as it is.
 */
import type { V1Namespace } from '@kubernetes/client-node';
import { createIfNone } from '../../base/kube/create-if-none.ts';
import type { Kube, KubeObject, Resource } from '../../base/kube/kube.ts';
import { resources } from '../../domain/kinds.ts';
import { apiName, labels } from '../../domain/names.ts';
import { hasNamespaceDefaults, noteNamespaceDefaults } from '../store/namespace-defaults.ts';
import { findOrganization } from '../store/organizations.ts';
import type { Reader } from '../store/tables.ts';
import { NotOurs } from './database-writer.ts';
import {
  buildDenyIngress,
  buildResourceQuota,
  podSecurityLabel,
  quotaOf,
  type NamespaceDefaults,
} from './namespace-defaults.ts';

type Namespace = Omit<V1Namespace, 'apiVersion' | 'kind' | 'metadata'> & KubeObject;

interface OrganizationNamespacesOptions {
  readonly kube: Kube;
  /** The store, which records the namespaces that got defaults. */
  readonly db: () => Reader;
  readonly defaults: NamespaceDefaults;
}

export class OrganizationNamespaces {
  readonly #options: OrganizationNamespacesOptions;

  constructor(options: OrganizationNamespacesOptions) {
    this.#options = options;
  }

  /** Makes the namespace if there is none. Throws `NotOurs` if it exists and does not belong to this organization. */
  async ensure(name: string, organizationId: string): Promise<void> {
    const { labels: its = {}, uid = '' } = (await this.#ensure(name, organizationId)).metadata;
    if (its[labels.managedBy] !== apiName) return;
    if (await hasNamespaceDefaults(this.#options.db(), organizationId, uid)) return;
    // Repeats every step in case a process died here: existing objects are not changed.
    await this.#createIfNone(resources.networkPolicy, buildDenyIngress(name));
    const { db, defaults } = this.#options;
    const organization = await findOrganization(db(), organizationId);
    const quota = quotaOf(defaults, organization?.databasesMax ?? null);
    await this.#createIfNone(resources.resourceQuota, buildResourceQuota(name, quota));
    await noteNamespaceDefaults(this.#options.db(), organizationId, uid);
  }

  async #ensure(name: string, organizationId: string): Promise<Namespace> {
    const { kube, defaults } = this.#options;
    const found = await kube.read<Namespace>({ resource: resources.namespace, name });
    if (found?.metadata.labels?.[labels.organization] === organizationId) return found;
    if (found !== undefined) {
      throw new NotOurs(
        `the namespace ${name} is there and is not this organization's; label it ${labels.organization}=${organizationId} to give it to the organization`,
      );
    }
    const object: Namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name,
        labels: {
          [labels.organization]: organizationId,
          [labels.managedBy]: apiName,
          [podSecurityLabel]: defaults.podSecurity,
        },
      },
    };
    const made = await this.#createIfNone(resources.namespace, object);
    return made ?? this.#ensure(name, organizationId);
  }

  #createIfNone<T extends KubeObject>(resource: Resource, object: T): Promise<T | undefined> {
    return createIfNone(this.#options.kube, resource, object, { fieldManager: apiName });
  }
}
