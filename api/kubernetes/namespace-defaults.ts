/**
 * Defaults of a new organization's namespace: a level of Pod Security, a quota, and a policy that refuses all connections
 * except those that another policy admits (each database has its own).
 */
import type { V1ResourceQuota } from '@kubernetes/client-node';
import type { KubeObject } from '../../base/kube/kube.ts';
import { apiName, labels } from '../../domain/names.ts';

export type ResourceQuota = Omit<V1ResourceQuota, 'apiVersion' | 'kind' | 'metadata'> & KubeObject;

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
export const podSecurityLevels = ['privileged', 'baseline', 'restricted'] as const;
type PodSecurityLevel = (typeof podSecurityLevels)[number];

export interface NamespaceDefaults {
  /** The enforced level. `restricted` admits databases' pods, except TigerBeetle's if they run without seccomp. */
  readonly podSecurity: PodSecurityLevel;
  /** Maximum number of objects of each kind, for the installation's maximum of databases. */
  readonly quota: NamespaceQuota;
  /** Numbers in the installation's settings: they apply to every organization, whatever its maximum of databases. */
  readonly fixed?: Partial<NamespaceQuota>;
}

interface NamespaceQuota {
  readonly pods: number;
  readonly claims: number;
  readonly services: number;
}

/** Replicas of the largest topology. */
const replicasMax = 6;

/** Quota for an organization's maximum of databases, each of the largest topology. */
export function quotaFor(databasesMax: number): NamespaceQuota {
  const replicas = databasesMax * replicasMax;
  return {
    // One pod of a Job or a client for each replica.
    pods: replicas * 2,
    // A deleted database's volumes stay for a week, while others are made.
    claims: replicas * 4,
    services: replicas * 2,
  };
}

/** The quota for an organization; `databasesMax`: its own maximum of databases, null: the installation's. */
export function quotaOf(
  { quota, fixed }: Pick<NamespaceDefaults, 'quota' | 'fixed'>,
  databasesMax: number | null,
): NamespaceQuota {
  const own = quotaFor(databasesMax ?? 0);
  return {
    // Its own maximum may be revoked later, but the namespace's quota stays.
    pods: Math.max(quota.pods, own.pods),
    claims: Math.max(quota.claims, own.claims),
    services: Math.max(quota.services, own.services),
    ...fixed,
  };
}

export const podSecurityLabel = 'pod-security.kubernetes.io/enforce';

export const quotaName = 'ledgerhouse';
export const denyIngressName = 'ledgerhouse-deny-ingress';

export const buildResourceQuota = (
  namespace: string,
  { pods, claims, services }: NamespaceQuota,
): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: metadataOf(namespace, quotaName),
  spec: {
    hard: {
      pods: String(pods),
      persistentvolumeclaims: String(claims),
      services: String(services),
    },
  },
});

export const buildDenyIngress = (namespace: string) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: metadataOf(namespace, denyIngressName),
  spec: { podSelector: {}, policyTypes: ['Ingress'] },
});

const metadataOf = (namespace: string, name: string) => ({
  namespace,
  name,
  labels: { [labels.managedBy]: apiName },
});
