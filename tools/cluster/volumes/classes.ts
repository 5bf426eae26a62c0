/** The two kinds of storage of the local cluster, which stand for those of a cloud. */
export const driverName = 'volumes.local.ledgerhouse.dev';

export const StorageKind = {
  /** A disk that follows its pod to any node and grows online: an XFS image on a loop device. */
  network: 'network',
  /** A folder on one node. It cannot grow, and disappears with its node. */
  local: 'local',
} as const;
export type StorageKind = (typeof StorageKind)[keyof typeof StorageKind];

export const storageClasses = [
  storageClass('ledgerhouse-network', StorageKind.network, true, 'Immediate', true),
  storageClass('ledgerhouse-local', StorageKind.local, false, 'WaitForFirstConsumer', false),
];

export const csiDriver = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: driverName },
  spec: { attachRequired: false, podInfoOnMount: false, fsGroupPolicy: 'File' },
};

function storageClass(
  name: string,
  kind: StorageKind,
  allowVolumeExpansion: boolean,
  volumeBindingMode: string,
  isDefault: boolean,
) {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: {
      name,
      annotations: { 'storageclass.kubernetes.io/is-default-class': String(isDefault) },
    },
    provisioner: driverName,
    parameters: { kind },
    reclaimPolicy: 'Delete',
    volumeBindingMode,
    allowVolumeExpansion,
  };
}
