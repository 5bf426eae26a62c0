import { written, type Moment, type Target } from '../../domain/recovery.ts';
import { restoreWarnings } from '../../domain/restores/warnings.ts';
import type { recoveryRoutes } from '../contract/routes/recovery.ts';
import { notCarriedOver } from '../contract/schemas/recovery.ts';
import { acceptedRestore } from '../databases/handlers.ts';
import type { Surroundings } from '../databases/present.ts';
import { requireDatabase } from '../databases/require.ts';
import type { Handler, HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import type { Backup } from '../model/backup.ts';
import type { Database } from '../store/database-record.ts';
import { findActiveProfile } from '../store/databases.ts';
import type { Ledgers } from './ask-ledger.ts';
import { lastTransferAt } from './last-transfer.ts';
import {
  reachedBy,
  requirePossible,
  targetOf,
  windowLeft,
  type PossibleRestore,
} from './moments.ts';
import { requireStore } from './refusal.ts';
import { restoreToMoment, type RecoveryServices } from './restore.ts';

interface RecoveryHandlerOptions {
  readonly services: RecoveryServices;
  readonly ledgers: Ledgers;
  readonly requests: IdempotentRequests;
  readonly surroundings: () => Surroundings;
}

type Handlers = HandlersOf<typeof recoveryRoutes>;

export const recoveryHandlers = (options: RecoveryHandlerOptions): Handlers => ({
  getRecoveryWindow: read(options),
  previewRestore: preview(options),
  restoreToMoment: restore(options),
});

const read =
  ({ services: { store, archives } }: RecoveryHandlerOptions): Handler<'getRecoveryWindow'> =>
  async ({ params, principal }) => {
    const { databaseId } = params;
    const database = await requireDatabase(store.read, principal.organization.id, databaseId);
    const window = await windowLeft(store.read, archives, database);
    return {
      status: 200,
      body: {
        recoveryWindow: {
          databaseId,
          archiving: database.observed?.archiving ?? null,
          earliest: window?.earliest ?? null,
          latest: window?.latest ?? null,
          gaps: window?.gaps ?? [],
        },
      },
    };
  };

const preview =
  ({ services, ledgers }: RecoveryHandlerOptions): Handler<'previewRestore'> =>
  async ({ params, body, principal, requestId, signal }) => {
    const { store, archives, backupStore } = services;
    const { databaseId } = params;
    const database = await requireDatabase(store.read, principal.organization.id, databaseId);
    requireStore(backupStore);
    const target = targetOf(body);
    const possible = await requirePossible({ db: store.read, archives }, database, target);
    const reached = await reachedBy(archives, database, target, possible);
    const organizationId = principal.organization.id;
    const lastTransfer =
      reached === undefined || reached.op === 0
        ? undefined
        : await lastTransferAt(ledgers, {
            organizationId,
            databaseId,
            timestamp: reached.timestamp,
            requestId,
            signal,
          });
    const profile = await findActiveProfile(store.read, databaseId);
    const { engine: to = 'Builtin', dropTimeouts = false } = body;
    const warnings = restoreWarnings({ from: profile?.engine ?? to, to, dropTimeouts });
    const preview = shownPreview(database, target, possible, { reached, lastTransfer, warnings });
    return { status: 200, body: { preview } };
  };

const restore =
  ({ services, requests, surroundings }: RecoveryHandlerOptions): Handler<'restoreToMoment'> =>
  (request) =>
    requests.run(request, async (keep) => {
      const { params, body, principal, author } = request;
      const caller = { organization: principal.organization, author };
      const made = await restoreToMoment(
        services,
        caller,
        params.databaseId,
        body,
        (change, view) => keep(change, acceptedRestore(view, surroundings())),
      );
      return acceptedRestore(made, surroundings());
    });

interface Reached {
  readonly reached: Moment | undefined;
  readonly lastTransfer: Awaited<ReturnType<typeof lastTransferAt>>;
}

function shownPreview(
  { id }: Database,
  target: Target,
  { window, plan }: PossibleRestore,
  { reached, lastTransfer, warnings }: Reached & { readonly warnings: string[] },
) {
  const { begins, backup } = plan;
  const op = plan.op ?? reached?.op;
  const latest = window?.latest.op;
  return {
    databaseId: id,
    op: op ?? null,
    moment: reached === undefined ? null : written(reached),
    lastTransfer: lastTransfer ?? null,
    atOrBefore: target.kind === 'op' ? null : timesOf(target.timestamp),
    backup: backup === undefined ? null : shownBase(backup.backup),
    begins: written(begins),
    operationsMax: op === undefined ? plan.operationsMax : op - begins.op,
    operationsLater: op === undefined || latest === undefined ? null : Math.max(0, latest - op),
    notCarriedOver: [...notCarriedOver],
    warnings,
  };
}

function timesOf(timestamp: bigint) {
  const { op: _, ...times } = written({ op: 0, timestamp });
  return times;
}

const shownBase = ({ id, name, facts, verification }: Backup) => ({
  id,
  name,
  sizeBytes: facts?.sizeBytes ?? 0,
  storedBytes: facts?.storedBytes ?? 0,
  verifiedAt: verification?.lastPassedAt ?? null,
  verifiedSeconds: verification?.seconds ?? null,
});
