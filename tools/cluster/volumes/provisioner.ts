/**
 * The driver's interface to the API server: makes a PersistentVolume for each claim of our classes, removes it with its claim,
 * and applies growth of a claim to the volume. Each look checks everything, which suits a small local cluster.
 */
import type { V1PersistentVolume } from '@kubernetes/client-node';
import { mkdirSync, rmSync } from 'node:fs';
import type { Kube, KubeObject, Resource } from '../../../base/kube/kube.ts';
import { resources, type Claim, type StorageClass } from '../../../domain/kinds.ts';
import type { Backing } from './backing.ts';
import { driverName, StorageKind } from './classes.ts';
import { bytesOf } from './quantity.ts';

type Volume = Omit<V1PersistentVolume, 'apiVersion' | 'kind' | 'metadata'> & KubeObject;

const fieldManager = driverName;
const volumeResource: Resource = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
};

export class Provisioner {
  /** Kinds that it watches. */
  readonly kinds = [resources.storageClass, resources.claim, volumeResource];
  readonly #kube: Kube;
  readonly #backing: Backing;
  readonly #log: (message: string) => void;

  constructor(kube: Kube, backing: Backing, log: (message: string) => void) {
    this.#kube = kube;
    this.#backing = backing;
    this.#log = log;
  }

  /** Checks all claims and volumes once. Returns false if an action failed: the next look tries it again. */
  async look(): Promise<boolean> {
    let done = true;
    const attempt = async (what: string, work: () => Promise<void>) => {
      try {
        await work();
      } catch (error) {
        done = false;
        this.#log(`${what}: ${String(error)}`);
      }
    };
    const [classes, claims, all] = await Promise.all([
      this.#kube.list<StorageClass>(resources.storageClass),
      this.#kube.list<Claim>(resources.claim),
      this.#kube.list<Volume>(volumeResource),
    ]);
    const kinds = new Map(
      classes
        .filter((item) => item.provisioner === driverName)
        .map((item) => [item.metadata.name ?? '', item.parameters?.['kind']]),
    );
    const volumes = all.filter((volume) => volume.spec?.csi?.driver === driverName);
    const known = new Map(volumes.map((volume) => [volume.metadata.name ?? '', volume]));
    for (const claim of claims) {
      const kind = kinds.get(claim.spec?.storageClassName ?? '');
      if (kind === undefined || claim.metadata.deletionTimestamp !== undefined) continue;
      const volume = known.get(volumeNameOf(claim));
      await attempt(`claim ${claim.metadata.namespace}/${claim.metadata.name}`, async () => {
        if (volume === undefined) await this.#provision(claim, kind);
        else if (claim.status?.phase === 'Bound') await this.#grow(claim, volume, kind);
      });
    }
    for (const volume of volumes) {
      if (volume.status?.phase !== 'Released') continue;
      if (volume.spec?.persistentVolumeReclaimPolicy !== 'Delete') continue;
      await attempt(`volume ${volume.metadata.name}`, () => this.#remove(volume));
    }
    return done;
  }

  async #provision(claim: Claim, kind: string): Promise<void> {
    const node = claim.metadata.annotations?.['volume.kubernetes.io/selected-node'];
    // A local volume is created on the node of its first pod.
    if (kind === StorageKind.local && node === undefined) return;
    const name = volumeNameOf(claim);
    const size = claim.spec?.resources?.requests?.['storage'] ?? '1Gi';
    if (kind === StorageKind.local && node !== undefined) {
      mkdirSync(this.#backing.localFolder(node, name), { recursive: true, mode: 0o755 });
    } else await this.#backing.createNetwork(name, bytesOf(size));
    await this.#kube.create(volumeResource, volumeOf(claim, kind, size, node), { fieldManager });
    this.#log(`provisioned ${kind} volume ${name} of ${size}`);
  }

  async #grow(claim: Claim, volume: Volume, kind: string): Promise<void> {
    const wanted = claim.spec?.resources?.requests?.['storage'] ?? '0';
    const has = claim.status?.capacity?.['storage'] ?? '0';
    if (kind !== StorageKind.network || bytesOf(wanted) <= bytesOf(has)) return;
    if (bytesOf(volume.spec?.capacity?.['storage'] ?? '0') < bytesOf(wanted)) {
      const patch = { spec: { capacity: { storage: wanted } } };
      const name = volume.metadata.name ?? '';
      await this.#kube.mergePatch({ resource: volumeResource, name }, patch, { fieldManager });
      this.#log(`growing ${volume.metadata.name} to ${wanted}`);
    }
    if (claim.status?.allocatedResourceStatuses?.['storage'] === 'NodeResizePending') return;
    // The kubelet does the rest: it calls NodeExpandVolume and then writes the claim's capacity.
    const pending = {
      type: 'FileSystemResizePending',
      status: 'True',
      lastTransitionTime: new Date().toISOString(),
      message: 'Waiting for the node to grow the file system.',
    };
    const body = {
      status: {
        allocatedResources: { storage: wanted },
        allocatedResourceStatuses: { storage: 'NodeResizePending' },
        conditions: [pending],
      },
    };
    const { name = '', namespace } = claim.metadata;
    const subresource = 'status';
    await this.#kube.mergePatch({ resource: resources.claim, namespace, name }, body, {
      fieldManager,
      subresource,
    });
  }

  async #remove(volume: Volume): Promise<void> {
    const { name = '', uid = '' } = volume.metadata;
    const attributes = volume.spec?.csi?.volumeAttributes ?? {};
    if (attributes['kind'] === StorageKind.local) {
      const node = attributes['node'] ?? '';
      rmSync(this.#backing.localFolder(node, name), { recursive: true, force: true });
    } else await this.#backing.deleteNetwork(name);
    await this.#kube.delete({ resource: volumeResource, name }, { uid });
    this.#log(`removed volume ${name}`);
  }
}

const volumeNameOf = (claim: Claim) => `pvc-${claim.metadata.uid}`;

function volumeOf(claim: Claim, kind: string, size: string, node: string | undefined): Volume {
  const name = volumeNameOf(claim);
  const isLocal = kind === StorageKind.local && node !== undefined;
  const affinity = {
    required: {
      nodeSelectorTerms: [
        {
          matchExpressions: [
            { key: 'kubernetes.io/hostname', operator: 'In', values: [node ?? ''] },
          ],
        },
      ],
    },
  };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': driverName } },
    spec: {
      capacity: { storage: size },
      accessModes: claim.spec?.accessModes ?? ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: claim.spec?.storageClassName ?? '',
      volumeMode: 'Filesystem',
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        name: claim.metadata.name ?? '',
        namespace: claim.metadata.namespace ?? '',
        uid: claim.metadata.uid ?? '',
      },
      csi: {
        driver: driverName,
        volumeHandle: name,
        fsType: 'xfs',
        volumeAttributes: { kind, ...(isLocal ? { node } : {}) },
      },
      ...(isLocal ? { nodeAffinity: affinity } : {}),
    },
  };
}
