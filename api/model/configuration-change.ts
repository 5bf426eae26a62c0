/** Changes of a database's configuration: what was asked for, what it means, and what became of it. */
import type { Actor } from './actor.ts';
import type { FieldChange } from './event.ts';

export const changeStatuses = ['QUEUED', 'APPLYING', 'APPLIED', 'FAILED', 'CANCELED'] as const;
export type ChangeStatus = (typeof changeStatuses)[number];

/** How long clients wait at most: not noticeably, seconds, minutes, or until somebody resumes the database. */
export const interruptions = ['NONE', 'SECONDS', 'MINUTES', 'UNTIL_RESUMED'] as const;
type Interruption = (typeof interruptions)[number];

/** `api`: asked for over HTTP. `kubernetes`: made in the cluster, and only followed here. */
export type ChangeOrigin = 'api' | 'kubernetes';

/** What is asked for. An absent member stays as it is; null in a map takes an entry away (RFC 7396). */
export interface ChangeRequest {
  readonly clusterSize?: string | undefined;
  readonly selectedStorageGb?: number | undefined;
  readonly autogrow?: { readonly limitGb: number } | null | undefined;
  readonly parameters?: Readonly<Record<string, string | null>> | undefined;
  readonly engineVersion?: string | undefined;
  readonly labels?: Readonly<Record<string, string | null>> | undefined;
  readonly suspended?: boolean | undefined;
  /** An earlier revision whose configuration is wanted again; the other members count on top of it. */
  readonly revision?: number | undefined;
}

export interface Impact {
  readonly interruption: Interruption;
  /** Longest wait of a client that is promised; null while the database is stopped. */
  readonly longestWaitSeconds: number | null;
  /** Whether pods are replaced one at a time. */
  readonly rollingRestart: boolean;
  /** Whether a later change can take it back. */
  readonly reversible: boolean;
  readonly warnings: readonly string[];
}

export interface PriceDelta {
  readonly currency: string;
  /** Decimal with two places and a sign if it is cheaper; for a month. */
  readonly amount: string;
}

/** Why a change failed, the state that it left, and what to do. */
export interface ChangeError {
  readonly code: string;
  readonly message: string;
  readonly state: string;
  readonly nextSteps: readonly string[];
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
  /** Time before which it is not begun; null: as soon as nothing else is being applied. */
  readonly applyAfter: Date | null;
  readonly jobId: string | null;
  /** Generation of the resource that has the change; null until it was written. */
  readonly generation: number | null;
  readonly previousRevision: number;
  /** Revision that the change made; null until the operator has accepted it, and if only labels change. */
  readonly profileRevision: number | null;
  /** Last progress, as told to people. */
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

/** Joins a later request to one that waits: the later one counts where both name a member. */
export function mergeRequests(before: ChangeRequest, after: ChangeRequest): ChangeRequest {
  // An earlier revision replaces all that was asked for but labels, which have no revisions.
  const kept: ChangeRequest =
    after.revision === undefined || before.labels === undefined
      ? after.revision === undefined
        ? before
        : {}
      : { labels: before.labels };
  return {
    ...kept,
    ...after,
    ...merged('parameters', kept, after),
    ...merged('labels', kept, after),
  };
}

function merged(
  member: 'parameters' | 'labels',
  before: ChangeRequest,
  after: ChangeRequest,
): ChangeRequest {
  if (before[member] === undefined && after[member] === undefined) return {};
  return { [member]: { ...before[member], ...after[member] } };
}
