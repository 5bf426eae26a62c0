/** All that a database's objects are made from. Nothing else goes into them: the same subject gives the same objects. */
import type { Complete } from '../../domain/catalog/resolve.ts';
import type { Generation } from '../certificates/generations.ts';

export interface Subject {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly databaseId: string;
  /** Name of the StatefulSet and beginning of the others' (domain/names.ts). */
  readonly workload: string;
  /** u128, decimal. */
  readonly clusterId: string;
  readonly resolved: Complete;
  readonly storageGb: number;
  /** Namespaces whose labelled pods may connect, besides its own. */
  readonly accessNamespaces: readonly string[];
  readonly suspend: boolean;
  /** Each replica's recorded address, in order; complete before anything is made that needs it. */
  readonly endpoints: readonly Endpoint[];
  /**
   * Certificates of the etcd members (operator/certificates), oldest first: there before anything is made that needs them, and
   * absent where there is no etcd.
   */
  readonly peerCertificates?: readonly Generation[];
  /** Where the operator and the API run: their pods may connect too. */
  readonly operatorNamespace: string;
  /** TigerBeetle's seccomp profile: the one with io_uring that is installed on the nodes (default), or none. */
  readonly tigerBeetleSeccomp?: 'Localhost' | 'Unconfined';
}

export interface Endpoint {
  readonly index: number;
  readonly ip: string;
  readonly port: number;
}
