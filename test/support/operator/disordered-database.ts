/** A database in any state that faults, people, old versions and lost writes could have left it in: half of it senseless. */
import fc from 'fast-check';
import { nothing, resolve, type Complete } from '../../../domain/catalog/resolve.ts';
import { annotations, peerSecretName, podName, volumesFinalizer } from '../../../domain/names.ts';
import type {
  DatabaseSpec,
  DatabaseStatus,
  LedgerDatabase,
} from '../../../domain/custom-resources.ts';
import { fillingNote } from '../../../operator/ledgerdatabase/steps/fill.ts';
import { buildClaim } from '../../../operator/manifests/claim.ts';
import { buildConnection } from '../../../operator/manifests/connection.ts';
import { buildFormatJob } from '../../../operator/manifests/format-job.ts';
import { buildNetworkPolicy } from '../../../operator/manifests/network-policy.ts';
import { buildPodDisruptionBudget } from '../../../operator/manifests/pod-disruption-budget.ts';
import { buildRecoverJob } from '../../../operator/manifests/recover-job.ts';
import { buildService } from '../../../operator/manifests/service.ts';
import { withTemplateNoted } from '../../../operator/manifests/applied-template.ts';
import { buildStatefulSet } from '../../../operator/manifests/stateful-set.ts';
import type { Subject } from '../../../operator/manifests/subject.ts';
import type { Job } from '../../../domain/kinds.ts';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { catalogObject, catalogSpec } from '../../fixtures/catalog.ts';
import {
  podFrom,
  podStates,
  type PodState,
  podStatus,
  revisionOf,
  SimulatedCluster,
} from './simulated-cluster.ts';
import { peerCertificates } from './subjects.ts';

export const namespace = 'org-acme';
export const name = 'payments';
export const uid = '5e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d11';
export const workload = 'payments-5e1f0c';
const clusterId = '18762113425345234523452345234523452345';
const databaseId = 'db_01kaj7q9v5e8r9h2m3n4p5q6r7';
/** ID of the database whose volumes `bootstrap.volumes` names. */
export const elder = {
  uid: 'aaaaaaaa-8f5b-4d0c-9a53-3c0b0a6f7d22',
  databaseId: 'db_01kaj7q9v5e8r9h2m3n4p5q6r8',
  workload: 'archive-aaaaaa',
  clusterId: '42',
};

const origin = { databaseId: elder.databaseId, backupId: 'bkp_01kaj7q9v5e8r9h2m3n4p5q6r7' };

const jobStates = ['absent', 'running', 'succeeded', 'failed', 'deleting', 'other'] as const;

const replica = fc.record({
  service: fc.constantFrom(
    'absent',
    'right',
    'right',
    'unaddressed',
    'elsewhere',
    'deleting',
    'meddled',
  ),
  claim: fc.constantFrom('absent', 'pending', 'bound', 'bound', 'bound', 'deleting'),
  formatted: fc.boolean(),
  /** Whether it notes the version that wrote it last. */
  recorded: fc.constantFrom(false, false, true),
  hasFile: fc.boolean(),
  requestedGb: fc.constantFrom(1, 2, 2, 2, 5),
  capacityGb: fc.constantFrom(1, 2, 2, 2, 5),
  format: fc.constantFrom(...jobStates, 'absent', 'absent'),
  recover: fc.constantFrom(...jobStates, 'absent', 'absent'),
  pod: fc.constantFrom<'absent' | 'stopping' | PodState>(
    'absent',
    'stopping',
    'ready',
    ...podStates,
  ),
  outdated: fc.boolean(),
});

interface Kind {
  readonly engine: 'Builtin' | 'TigerBeetle';
  readonly topology: 'single' | 'ha-3' | 'ha-6';
}

const anyState = fc.record({
  kind: fc.constantFrom<Kind>(
    { engine: 'Builtin', topology: 'single' },
    { engine: 'Builtin', topology: 'ha-3' },
    { engine: 'TigerBeetle', topology: 'single' },
    { engine: 'TigerBeetle', topology: 'ha-3' },
    { engine: 'TigerBeetle', topology: 'ha-6' },
  ),
  changes: fc.record({
    size: fc.constantFrom('lh-40', 'lh-40', 'lh-10', 'lh-7'),
    sizeGb: fc.constantFrom(1, 2, 2, 2, 5),
    version: fc.constantFrom('old', 'old', 'new', 'none', 'unknown'),
  }),
  suspend: fc.constantFrom(false, false, true),
  deletionPolicy: fc.constantFrom(
    'Retain',
    'BackupThenDelete',
    'BackupThenRetain',
    'HandOver',
    'Delete',
  ),
  deleting: fc.constantFrom(false, false, false, true),
  /** Whether it begins with a backup with which its cluster is filled. */
  fills: fc.constantFrom('no', 'begins', 'filled'),
  held: fc.boolean(),
  /** `adopted`: it has taken its volumes over already. */
  inherits: fc.constantFrom('no', 'no', 'no', 'volumes', 'nothing', 'living', 'adopted'),
  known: fc.constantFrom('nothing', 'all', 'all', 'some'),
  knows: fc.record({
    identity: fc.boolean(),
    bootstrapped: fc.boolean(),
    endpoints: fc.boolean(),
    resolved: fc.boolean(),
    storage: fc.boolean(),
    active: fc.boolean(),
  }),
  set: fc.constantFrom(
    'absent',
    'current',
    'current',
    'outdated',
    'unseen',
    'older',
    'meddled',
    'awake',
    'deleting',
  ),
  surroundings: fc.constantFrom('absent', 'there', 'deleting'),
  /** `next`: a number is on record whose Secret may be there; `lost`: nothing is on record. */
  certificates: fc.constantFrom('there', 'due', 'next', 'lost'),
  expandable: fc.constantFrom('yes', 'yes', 'no', 'unknown'),
  replicas: fc.array(replica, { minLength: 6, maxLength: 6 }),
});
export type Recipe = typeof anyState extends fc.Arbitrary<infer T> ? T : never;

/** Any state at all, and as often one of a database that has just been made, has not started yet, runs, or goes: few among the first. */
export const recipe: fc.Arbitrary<Recipe> = fc.oneof(
  anyState.map(heir),
  anyState.map(newborn),
  anyState.map(unborn),
  anyState.map(running),
  anyState.map(leaving),
);

/** All is well, but for one replica's pod, and for pods that are not of the newest revision. */
function running(made: Recipe): Recipe {
  const replicas = made.replicas.map((row, index) => ({
    ...row,
    service: 'right' as const,
    claim: 'bound' as const,
    formatted: true,
    hasFile: true,
    format: 'absent' as const,
    recover: 'absent' as const,
    pod: index === 2 && row.pod !== 'absent' ? row.pod : ('ready' as const),
  }));
  return {
    ...made,
    changes: { ...made.changes, size: 'lh-40' },
    deleting: false,
    inherits: 'no',
    known: 'all',
    knows: { ...made.knows, bootstrapped: true },
    suspend: false,
    set: 'current',
    replicas,
  };
}

/** A database that adopts volumes has had none of its own under another workload's name. */
function heir(made: Recipe): Recipe {
  if (made.inherits === 'no' || made.inherits === 'adopted') return made;
  const replicas = made.replicas.map((row) => ({
    ...row,
    claim: 'absent' as const,
    pod: 'absent' as const,
    format: 'absent' as const,
    recover: 'absent' as const,
  }));
  return { ...made, set: 'absent', replicas };
}

/** Nothing is filled that has not begun. */
const unfilled = ({ fills }: Recipe): Recipe['fills'] => (fills === 'filled' ? 'begins' : fills);

/** Nobody has done anything for it. */
function newborn(made: Recipe): Recipe {
  const replicas = made.replicas.map((row) => ({
    ...row,
    service: 'absent' as const,
    claim: 'absent' as const,
    pod: 'absent' as const,
    format: 'absent' as const,
    recover: 'absent' as const,
  }));
  return {
    ...made,
    changes: { ...made.changes, size: 'lh-40' },
    deleting: false,
    held: false,
    fills: unfilled(made),
    known: 'nothing',
    set: 'absent',
    surroundings: 'absent',
    replicas,
  };
}

/** Deleted, and held until its volumes are taken care of. */
function leaving(made: Recipe): Recipe {
  return { ...made, deleting: true, held: true, inherits: 'no' };
}

function unborn(made: Recipe): Recipe {
  return {
    ...made,
    changes: { ...made.changes, size: 'lh-40' },
    deleting: false,
    inherits: 'no',
    fills: unfilled(made),
    known: made.known === 'nothing' ? 'nothing' : 'all',
    knows: { ...made.knows, bootstrapped: false },
    set: 'absent',
    replicas: made.replicas.map((row) => ({
      ...row,
      service: 'right',
      claim: row.claim === 'absent' ? 'absent' : 'bound',
      recorded: false,
      hasFile: row.formatted,
      pod: 'absent',
    })),
  };
}

const ipOf = (index: number) => `10.96.12.${index + 1}`;
const deleted = '2026-11-21T09:59:00Z';

/** Only a database of TigerBeetle is filled. */
const fillOf = ({ kind, inherits, fills }: Recipe): Recipe['fills'] =>
  kind.engine === 'TigerBeetle' && inherits === 'no' ? fills : 'no';

function specOf(made: Recipe): DatabaseSpec {
  const { kind, changes, suspend, deletionPolicy, inherits } = made;
  const versions = { Builtin: ['0.1.0', '0.2.0'], TigerBeetle: ['0.17.8', '0.17.9'] }[kind.engine];
  const version = { old: versions[0], new: versions[1], unknown: '9.9.9', none: undefined };
  const wanted = version[changes.version];
  return {
    ...kind,
    size: changes.size,
    storage: { sizeGb: changes.sizeGb },
    ...(wanted === undefined ? {} : { version: wanted }),
    suspend,
    // Backups are not simulated, and one that begins with a backup has a bucket.
    deletionPolicy:
      fillOf(made) !== 'no' && deletionPolicy.startsWith('Backup') ? 'Retain' : deletionPolicy,
    deletionProtection: false,
    ...(fillOf(made) === 'no' ? {} : { bootstrap: { backup: origin } }),
    ...(inherits === 'no' ? {} : { bootstrap: { volumes: { databaseId: elder.databaseId } } }),
  };
}

/** The earlier resolution of the spec: the smaller storage, the older version. */
function resolvedOnce({ kind }: Recipe): { resolved: Complete; storageGb: number } {
  const request = { ...kind, size: 'lh-40', storage: { sizeGb: 2 } };
  const result = resolve(catalogSpec(), request, nothing);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result;
}

function statusOf(made: Recipe, subject: Subject): DatabaseStatus {
  const { known, knows } = made;
  const has = (fact: keyof Recipe['knows']) => known === 'all' || (known === 'some' && knows[fact]);
  if (known === 'nothing') return {};
  return {
    ...(has('identity')
      ? { databaseId, workload: subject.workload, clusterId: subject.clusterId }
      : {}),
    ...(has('bootstrapped') && knows.bootstrapped ? { bootstrapped: true } : {}),
    ...(has('bootstrapped') && knows.bootstrapped && fillOf(made) !== 'no'
      ? { filled: fillOf(made) === 'filled' }
      : {}),
    ...(has('endpoints') ? { endpoints: [...subject.endpoints] } : {}),
    ...(has('resolved') ? { resolved: subject.resolved } : {}),
    ...(subject.peerCertificates === undefined || made.certificates === 'lost'
      ? {}
      : {
          peerCertificates: {
            generations: [...subject.peerCertificates],
            ...(made.certificates === 'next' ? { next: 3 } : {}),
          },
        }),
    ...(has('storage') ? { storage: { requestedGb: 2, summary: '2Gi' } } : {}),
    ...(has('active') ? { version: { rolled: 0, active: subject.resolved.engine.version } } : {}),
  };
}

/** Their successors should be there. */
const dueCertificates = peerCertificates.map((one) => ({
  ...one,
  expiresAt: one.expiresAt.replace(/^\d+/, '2027'),
}));

export function disorder(made: Recipe): SimulatedCluster {
  const cluster = new SimulatedCluster();
  const { resolved, storageGb } = resolvedOnce(made);
  const { replicas } = resolved.topology;
  const subject: Subject = {
    name,
    namespace,
    uid,
    databaseId,
    workload,
    clusterId,
    resolved,
    storageGb,
    accessNamespaces: [],
    suspend: made.suspend,
    endpoints: Array.from({ length: replicas }, (_, index) => ({
      index,
      ip: ipOf(index),
      port: 3001,
    })),
    operatorNamespace: 'ledgerhouse-system',
    ...(fillOf(made) === 'begins' ? { filling: true, restoredFrom: origin } : {}),
    ...(resolved.engine.etcdImage === undefined
      ? {}
      : { peerCertificates: made.certificates === 'there' ? peerCertificates : dueCertificates }),
  };
  cluster.put(catalogObject() as unknown as KubeObject);
  if (made.expandable !== 'unknown') {
    cluster.put({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: resolved.storage.className },
      allowVolumeExpansion: made.expandable === 'yes',
    } as KubeObject);
  }
  if (made.held) putSecret(cluster, subject);
  putDatabase(cluster, made, subject);
  putElder(cluster, made, subject);
  putSurroundings(cluster, made, subject);
  for (let index = 0; index < replicas; index += 1) putReplica(cluster, made, subject, index);
  return cluster;
}

function putDatabase(cluster: SimulatedCluster, made: Recipe, subject: Subject): void {
  const finalizers = made.held ? [volumesFinalizer] : [];
  const deleting = made.deleting && made.held ? { deletionTimestamp: deleted } : {};
  cluster.put({
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerDatabase',
    metadata: { name, namespace, uid, finalizers, ...deleting },
    spec: specOf(made),
    status: statusOf(made, subject),
  } as unknown as KubeObject & LedgerDatabase);
}

/** A generation that the operator made and did not record. */
function putSecret(cluster: SimulatedCluster, { workload, uid: owner }: Subject): void {
  cluster.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: peerSecretName(workload, owner, 3), namespace },
  });
}

/** The volumes of another database, with or without it. */
function putElder(cluster: SimulatedCluster, made: Recipe, subject: Subject): void {
  if (['no', 'nothing', 'adopted'].includes(made.inherits)) return;
  const { version } = subject.resolved.engine;
  for (let index = 0; index < subject.resolved.topology.replicas; index += 1) {
    const claim = buildClaim({ ...subject, ...elder, name: 'archive' }, index);
    const row = made.replicas[index];
    const { uid: claimUid = '' } = cluster.put({
      ...claim,
      metadata: {
        ...claim.metadata,
        annotations: {
          [annotations.formatted]: `${elder.clusterId}/${index}`,
          [annotations.engineVersion]: version,
          [annotations.purgeAt]: '2026-11-28T00:00:00Z',
        },
      },
      status: { phase: 'Bound', capacity: { storage: `${row?.capacityGb ?? 1}Gi` } },
    }).metadata;
    cluster.files.add(claimUid);
  }
  if (made.inherits !== 'living') return;
  cluster.put({
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerDatabase',
    metadata: { name: 'archive', namespace, uid: elder.uid },
    spec: specOf({ ...made, inherits: 'no' }),
  } as unknown as KubeObject);
}

function putSurroundings(cluster: SimulatedCluster, made: Recipe, subject: Subject): void {
  if (made.surroundings !== 'absent') {
    const gone = made.surroundings === 'deleting' ? { deletionTimestamp: deleted } : {};
    const all = [
      buildNetworkPolicy(subject),
      ...(subject.filling === true ? [] : [buildConnection(subject)]),
      buildPodDisruptionBudget(subject),
    ];
    for (const object of all) {
      if (object === undefined) continue;
      cluster.put({ ...object, metadata: { ...object.metadata, ...gone } });
    }
  }
  if (made.set === 'absent') return;
  const older = { ...subject, resolved: { ...subject.resolved, parameters: { age: 'old' } } };
  const before = { outdated: older, awake: { ...subject, suspend: false } };
  const set = withTemplateNoted(
    buildStatefulSet(made.set === 'outdated' || made.set === 'awake' ? before[made.set] : subject),
  );
  const updateRevision = revisionOf(set);
  const { replicas } = subject.resolved.topology;
  cluster.put({
    ...set,
    metadata: {
      ...set.metadata,
      ...(made.set === 'deleting' ? { deletionTimestamp: deleted } : {}),
      ...(made.set === 'older'
        ? { annotations: { ...set.metadata.annotations, [annotations.templateRevision]: '0' } }
        : {}),
    },
    ...(made.set === 'meddled' && set.spec !== undefined
      ? { spec: Object.assign({}, set.spec, { replicas: replicas + 2 }) }
      : {}),
    status: { replicas, observedGeneration: made.set === 'unseen' ? 0 : 1, updateRevision },
  });
}

function putReplica(
  cluster: SimulatedCluster,
  made: Recipe,
  subject: Subject,
  index: number,
): void {
  const row = made.replicas[index];
  if (row === undefined) return;
  if (row.service !== 'absent') {
    const service = buildService(subject, index);
    const ip = { right: ipOf(index), elsewhere: `10.96.99.${index}` };
    const { clusterIP: _, ...spec } = service.spec ?? {};
    const clusterIP = row.service === 'elsewhere' ? ip.elsewhere : ip.right;
    const selector = row.service === 'meddled' ? { selector: { app: 'other' } } : {};
    cluster.put({
      ...service,
      metadata: {
        ...service.metadata,
        ...(row.service === 'deleting' ? { deletionTimestamp: deleted } : {}),
      },
      spec: { ...spec, ...(row.service === 'unaddressed' ? {} : { clusterIP }), ...selector },
    });
  }
  putClaim(cluster, subject, index, row);
  putJob(cluster, buildFormatJob({ subject, index }), row.format);
  if (subject.resolved.topology.replicas > 1) {
    putJob(cluster, buildRecoverJob(subject, index), row.recover);
  }
  putPod(cluster, made, subject, index);
}

function putClaim(
  cluster: SimulatedCluster,
  subject: Subject,
  index: number,
  row: Recipe['replicas'][number],
): void {
  if (row.claim === 'absent') return;
  const claim = buildClaim({ ...subject, storageGb: row.requestedGb }, index);
  const { metadata } = cluster.put({
    ...claim,
    metadata: {
      ...claim.metadata,
      ...(row.claim === 'deleting' ? { deletionTimestamp: deleted } : {}),
      annotations: {
        ...(row.formatted
          ? { [annotations.formatted]: `${subject.clusterId}/${index}`, ...fillingNote(subject) }
          : {}),
        ...(row.recorded ? { [annotations.engineVersion]: subject.resolved.engine.version } : {}),
      },
    },
    ...(row.claim === 'pending'
      ? { status: { phase: 'Pending' } }
      : { status: { phase: 'Bound', capacity: { storage: `${row.capacityGb}Gi` } } }),
  });
  if (row.hasFile) cluster.files.add(metadata.uid ?? '');
}

function putJob(cluster: SimulatedCluster, job: Job, state: (typeof jobStates)[number]): void {
  if (state === 'absent') return;
  const type = { succeeded: 'Complete', failed: 'Failed' }[state as 'succeeded' | 'failed'];
  const completionTime = '2026-11-21T09:30:00Z' as unknown as Date;
  cluster.put({
    ...job,
    metadata: {
      ...job.metadata,
      ...(state === 'deleting' ? { deletionTimestamp: deleted } : {}),
    },
    ...(state === 'other' && job.spec !== undefined
      ? { spec: Object.assign({}, job.spec, { backoffLimit: 9 }) }
      : {}),
    ...(type === undefined
      ? {}
      : { status: { conditions: [{ type, status: 'True' }], completionTime } }),
  });
}

function putPod(cluster: SimulatedCluster, made: Recipe, subject: Subject, index: number): void {
  const row = made.replicas[index];
  if (row === undefined || row.pod === 'absent') return;
  // Without a StatefulSet nobody would ever end the pod that holds such a volume.
  if (made.set === 'absent' && row.claim === 'deleting') return;
  // A claim does not go while a pod uses it.
  if (row.claim === 'absent' && row.pod === 'ready') return;
  const older = { ...subject, resolved: { ...subject.resolved, parameters: { age: 'older' } } };
  const set = buildStatefulSet(row.outdated ? older : subject);
  const live = cluster.all('StatefulSet').find((one) => one.metadata.name === workload);
  const owner = { ...set, metadata: live?.metadata ?? { ...set.metadata, uid: uid } };
  const pod = podFrom(owner, index, revisionOf(set));
  const state = row.pod === 'stopping' ? 'starting' : row.pod;
  cluster.put({
    ...pod,
    metadata: {
      ...pod.metadata,
      creationTimestamp: row.outdated ? '2026-11-21T09:00:00Z' : '2026-11-21T09:45:00Z',
      ...(row.pod === 'stopping' ? { deletionTimestamp: deleted } : {}),
    },
    status: podStatus(state, '2026-11-21T09:50:00Z', podName(workload, index)),
  });
}
