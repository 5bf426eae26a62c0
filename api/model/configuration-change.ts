/** Changes of a database's configuration: the request, its impact, and its outcome. */
import type { DatabaseSpec, TopologyName } from '../../domain/custom-resources.ts';
import type { EarlierState } from '../../domain/returning.ts';
import type { Actor } from './actor.ts';
import { notArchivedWords, type NotArchived } from './backup.ts';
import type { FieldChange } from './event.ts';

export const changeStatuses = ['QUEUED', 'APPLYING', 'APPLIED', 'FAILED', 'CANCELED'] as const;
export type ChangeStatus = (typeof changeStatuses)[number];

/** Longest wait of clients: not noticeable, seconds, minutes, or until somebody resumes the database. */
export const interruptions = ['NONE', 'SECONDS', 'MINUTES', 'UNTIL_RESUMED'] as const;
type Interruption = (typeof interruptions)[number];

/** `api`: requested over HTTP. `kubernetes`: made in the cluster, and only followed here. */
export type ChangeOrigin = 'api' | 'kubernetes';

/** The requested configuration. An absent property stays as it is; null in a map removes an entry (RFC 7396). */
export interface ChangeRequest {
  readonly clusterConfiguration?: TopologyName | undefined;
  readonly clusterSize?: string | undefined;
  readonly selectedStorageGb?: number | undefined;
  readonly autogrow?: { readonly limitGb: number } | null | undefined;
  readonly continuousArchiving?: { readonly rpoSeconds: number } | null | undefined;
  readonly changeDataCapture?: { readonly suspended: boolean } | undefined;
  readonly parameters?: Readonly<Record<string, string | null>> | undefined;
  readonly engineVersion?: string | undefined;
  readonly labels?: Readonly<Record<string, string | null>> | undefined;
  readonly suspended?: boolean | undefined;
  /** An earlier revision whose configuration is wanted again; the other properties are applied on top of it. */
  readonly revision?: number | undefined;
  /** The earlier state of its ledger to which the database goes back; a change of its own. */
  readonly restoredTo?: EarlierState | undefined;
}

export interface Impact {
  readonly interruption: Interruption;
  /** Promised longest wait of a client; null while the database is stopped. */
  readonly longestWaitSeconds: number | null;
  /** Whether pods are replaced one at a time. */
  readonly rollingRestart: boolean;
  /** Whether a later change can take it back. */
  readonly reversible: boolean;
  readonly warnings: readonly string[];
}

export interface PriceDelta {
  readonly currency: string;
  /** Monthly amount, a decimal with two places; negative if it is cheaper. */
  readonly amount: string;
}

/** The reason why a change failed, the state that it left, and the next steps. */
export interface ChangeError {
  readonly code: string;
  readonly message: string;
  readonly state: string;
  readonly nextSteps: readonly string[];
}

/**
 * The resource that a change of shape, or a restore in place, replaces, as it was when the change began to replace it. From then on the database goes on in
 * another resource of the same name and ID.
 */
export interface ReplacedResource {
  readonly uid: string;
  readonly workload: string;
  readonly clusterId: string;
  readonly spec: DatabaseSpec;
  /** Whether the next resource goes on with its volume; absent: with its last backup. */
  readonly inPlace?: true | undefined;
  /** Its last backup, with which the next resource begins; absent until that is to be made. */
  readonly backupId?: string | undefined;
  /** The last operation before it goes back to an earlier state; absent in a change of shape. */
  readonly follows?: { readonly op: number; readonly timestamp: string } | undefined;
  /** Operations of that backup that the archive of the log lacks; absent: none. */
  readonly notArchived?: NotArchived | undefined;
  /** Why the database gets its earlier shape again; absent while it is to get the new one. */
  readonly givenUp?: GivenUp | undefined;
  /** Whether the earlier shape could not take the volumes back, so that the new one is made after all. */
  readonly turned?: true | undefined;
  /** A resource that the change takes away again: its absence is no deletion of the database either. */
  readonly removing?: string | undefined;
}

export interface GivenUp {
  /** The data with which the database goes on: its last backup, or, if there is none, its earlier volumes. */
  readonly from: 'backup' | 'volumes';
  readonly code: string;
  readonly message: string;
}

export interface ConfigurationChange {
  /** TypeID `chg_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly databaseId: string;
  readonly status: ChangeStatus;
  readonly origin: ChangeOrigin;
  readonly request: ChangeRequest;
  readonly diff: readonly FieldChange[];
  readonly impact: Impact;
  readonly priceDelta: PriceDelta | null;
  /** The change does not begin before this time; null: it begins once no other is being applied. */
  readonly applyAfter: Date | null;
  /** The change begins only while the maintenance window is open; `applyAfter` is the beginning of the one that it waits for. */
  readonly inWindow: boolean;
  readonly jobId: string | null;
  /** Generation of the resource that contains the change; null until it was written. */
  readonly generation: number | null;
  readonly previousRevision: number;
  /** Revision that the change made; null until the operator has accepted it, and for changes of labels alone. */
  readonly profileRevision: number | null;
  /** Null until a change of shape cannot be taken back any more, and for all others. */
  readonly replaced: ReplacedResource | null;
  /** Last progress, in words for people. */
  readonly progress: string | null;
  readonly error: ChangeError | null;
  readonly actor: Actor;
  readonly requestId: string | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

export const changeFact = ({ id, status }: Pick<ConfigurationChange, 'id' | 'status'>) => ({
  id,
  status,
});

/** What came of a change that nobody could say before. */
export const unforeseenOf = ({
  replaced,
}: Pick<ConfigurationChange, 'replaced'>): readonly string[] =>
  replaced?.notArchived === undefined ? [] : [notArchivedWords(replaced.notArchived)];

/** Joins a later request to a waiting one: the later one wins where both name a property. */
export function mergeRequests(before: ChangeRequest, after: ChangeRequest): ChangeRequest {
  const kept = after.revision === undefined ? before : withoutRevision(before);
  return {
    ...kept,
    ...after,
    ...merged('parameters', kept, after),
    ...merged('labels', kept, after),
  };
}

/** The parts of a change that a later request for an earlier revision does not replace: a revision does not have them. */
const withoutRevision = ({
  labels,
  suspended,
  clusterConfiguration,
}: ChangeRequest): ChangeRequest => ({
  ...(labels !== undefined && { labels }),
  ...(suspended !== undefined && { suspended }),
  ...(clusterConfiguration !== undefined && { clusterConfiguration }),
});

function merged(
  member: 'parameters' | 'labels',
  before: ChangeRequest,
  after: ChangeRequest,
): ChangeRequest {
  if (before[member] === undefined && after[member] === undefined) return {};
  return { [member]: { ...before[member], ...after[member] } };
}
