/**
 * Lends the store to the Jobs of a database: its credentials, as a Secret in the database's namespace, and a NetworkPolicy.
 * Only Jobs get them: no replica's pod mounts the Secret, and its NetworkPolicy selects no replica.
 */
import type { V1OwnerReference, V1Volume } from '@kubernetes/client-node';
import { digestOf } from '../../base/digest.ts';
import { createIfNone } from '../../base/kube/create-if-none.ts';
import type { Kube, KubeObject } from '../../base/kube/kube.ts';
import { resources, type NetworkPolicy, type Secret } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
import { fieldManager } from '../field-managers.ts';
import { ownedMetadata, ownerOf } from '../manifests/metadata.ts';
import type { Subject } from '../manifests/subject.ts';
import {
  credentialsMount,
  keysFile,
  lockFile,
  storePort,
  type BackupStore,
} from './backup-store.ts';

type Borrower = Pick<Subject, 'name' | 'namespace' | 'uid' | 'workload'>;

/** Pods with this label may reach the store. */
export const borrowerLabels = { [labels.usesStore]: 'true' };

/** The name depends on the content, so that the Secret never changes. */
function secretName(
  { workload }: Borrower,
  { accessKeyId, secretAccessKey, encryptionKeys, objectLock }: BackupStore,
): string {
  const keys = encryptionKeys === undefined ? [] : [encryptionKeys];
  const lock = objectLock === undefined ? [] : [lockFile, objectLock];
  const digest = digestOf([accessKeyId, secretAccessKey, ...keys, ...lock]);
  return `${workload}-store-${digest.slice(0, 12)}`;
}

export const credentialsVolume = (subject: Borrower, store: BackupStore): V1Volume => ({
  name: credentialsMount.name,
  secret: { secretName: secretName(subject, store), defaultMode: 0o440 },
});

function buildStoreSecret(subject: Borrower, store: BackupStore): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: ownedMetadata(subject, secretName(subject, store)),
    type: 'ledgerhouse.dev/store',
    immutable: true,
    stringData: {
      'access-key-id': store.accessKeyId,
      'secret-access-key': store.secretAccessKey,
      ...(store.encryptionKeys !== undefined && { [keysFile]: store.encryptionKeys }),
      ...(store.objectLock !== undefined && { [lockFile]: store.objectLock }),
    },
  };
}

function buildStorePolicy(subject: Borrower, store: BackupStore): NetworkPolicy {
  const matchLabels = { [labels.workload]: subject.workload, ...borrowerLabels };
  const port = (number: number, protocol: string) => ({ port: number, protocol });
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: ownedMetadata(subject, `${subject.workload}-store`),
    spec: {
      podSelector: { matchLabels },
      policyTypes: ['Egress'],
      ingress: [],
      egress: [{ ports: [port(53, 'UDP'), port(53, 'TCP'), port(storePort(store), 'TCP')] }],
    },
  };
}

/** Makes both before a Job that needs them. They are deleted with their owner: the database, or its substitute. */
export async function lendStore(
  kube: Kube,
  subject: Borrower,
  store: BackupStore,
  owner: V1OwnerReference = ownerOf(subject),
): Promise<void> {
  const lent = <T extends KubeObject>(object: T): T => ({
    ...object,
    metadata: { ...object.metadata, ownerReferences: [owner] },
  });
  const [secret, policy] = [buildStoreSecret(subject, store), buildStorePolicy(subject, store)];
  await createIfNone(kube, resources.secret, lent(secret), { fieldManager });
  // By force: the name has six digits of the database's uid, so nobody else has it by chance, and it selects Jobs of this
  // database only. A policy that somebody made or changed would keep them from the store, or let them reach more.
  await kube.apply<KubeObject>(resources.networkPolicy, lent(policy), {
    fieldManager,
    force: true,
  });
}
