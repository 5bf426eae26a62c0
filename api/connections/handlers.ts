import { sleep, systemTimers } from '../../base/timers.ts';
import type { connectionRoutes } from '../contract/routes/connections.ts';
import { requireDatabase } from '../databases/require.ts';
import type { LedgerTargets } from '../gateway/targets.ts';
import { notThere } from '../http/gate.ts';
import type { HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { connectionWays, type ConnectionWay } from '../model/connection-check.ts';
import { Refusal } from '../model/refusal.ts';
import { findDatabase } from '../store/databases.ts';
import { snippetFor } from './snippets.ts';
import {
  createConnectionCheck,
  findConnectionCheck,
  verifyConnectionCheck,
  type ConnectionCheck,
} from '../store/connection-checks.ts';
import type { Store } from '../store/store.ts';
import type { CheckIds } from './check-ids.ts';
import { waysOf, type ClusterLookups } from './cluster-lookups.ts';

export interface ConnectionServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  readonly targets: LedgerTargets;
  readonly ids: CheckIds;
  readonly clusterLookups: Pick<ClusterLookups, 'find'>;
  /** URL at which clients reach the API; empty: not known. */
  readonly publicUrl: string;
}

/** Interval between looks at a check that somebody waits for. */
const lookEveryMs = 500;

export function connectionHandlers({
  store,
  requests,
  targets,
  ids,
  clusterLookups,
  publicUrl,
}: ConnectionServices): HandlersOf<typeof connectionRoutes> {
  const present = presenterOf({ store, targets, clusterLookups });
  return {
    async createConnectionCheck(request) {
      const { body, params, principal } = request;
      const { databaseId } = params;
      const { id: organizationId } = principal.organization;
      const target = await targets.resolve(organizationId, databaseId);
      if (target instanceof Refusal) throw target;
      return requests.change(request, async (change) => {
        const made = await createConnectionCheck(change, {
          organizationId,
          databaseId,
          language: body.language ?? null,
          accountId: ids.make(databaseId),
        });
        if (made === 'too_many') throw tooMany();
        return {
          status: 201,
          headers: { Location: `/api/v1/databases/${databaseId}/connection-checks/${made.id}` },
          body: { success: true, connectionCheck: shown(made, waysOf(target.engine)) },
        };
      });
    },
    async getConnectionSnippet({ params, query, principal }) {
      const { databaseId } = params;
      const database = await findDatabase(store.read, principal.organization.id, databaseId);
      if (database === undefined) throw notThere('databaseId', databaseId);
      const { checkId } = query;
      const check = checkId && (await findConnectionCheck(store.read, databaseId, checkId));
      if (checkId !== undefined && check === undefined) throw notThere('checkId', checkId);
      const values = {
        database: database.name,
        databaseId,
        baseUrl: publicUrl,
        accountId: check ? check.accountId : '1',
      };
      return { status: 200, body: { snippet: snippetFor(query.language, values) } };
    },
    async getConnectionCheck({ params, query, principal, signal }) {
      const { databaseId, checkId } = params;
      await requireDatabase(store.read, principal.organization.id, databaseId);
      const untilMs = systemTimers.nowMs() + 1_000 * query.waitSeconds;
      for (;;) {
        const connectionCheck = await present(principal.organization.id, databaseId, checkId);
        const leftMs = untilMs - systemTimers.nowMs();
        if (connectionCheck.status !== 'WAITING' || leftMs <= 0 || signal.aborted) {
          return { status: 200, body: { connectionCheck } };
        }
        await sleep(systemTimers, Math.min(lookEveryMs, leftMs), signal);
      }
    },
  };
}

/** Shows the present state of a check. If it still waits, the replicas are asked first. */
function presenterOf({
  store,
  targets,
  clusterLookups,
}: Pick<ConnectionServices, 'store' | 'targets' | 'clusterLookups'>) {
  const read = async (databaseId: string, checkId: string) => {
    const check = await findConnectionCheck(store.read, databaseId, checkId);
    if (check === undefined) throw notThere('checkId', checkId);
    return check;
  };
  return async (organizationId: string, databaseId: string, checkId: string) => {
    const target = await targets.resolve(organizationId, databaseId);
    const check = await read(databaseId, checkId);
    if (target instanceof Refusal) return shown(check, withoutCluster);
    const ways = waysOf(target.engine);
    if (statusOf(check) !== 'WAITING') return shown(check, ways);
    const lookup = await clusterLookups.find(target, check.accountId);
    if (lookup === undefined) return shown(check, ways);
    await verifyConnectionCheck(store.read, databaseId, BigInt(check.accountId), lookup);
    return shown(await read(databaseId, checkId), ways);
  };
}

const tooMany = (): Refusal =>
  new Refusal('quota_exceeded', {
    detail: 'Too many checks of this database wait already. Use one of them, or wait 15 minutes.',
  });

function statusOf({ observed, expiresAt }: ConnectionCheck): 'WAITING' | 'VERIFIED' | 'EXPIRED' {
  if (observed !== null) return 'VERIFIED';
  return expiresAt.getTime() <= systemTimers.wallMs() ? 'EXPIRED' : 'WAITING';
}

/** A database that serves nobody now is not asked. */
const withoutCluster = connectionWays.filter((way) => way !== 'cluster');

const shown = (check: ConnectionCheck, seenBy: readonly ConnectionWay[]) => ({
  id: check.id as `chk_${string}`,
  databaseId: check.databaseId as `db_${string}`,
  language: check.language,
  accountId: check.accountId,
  status: statusOf(check),
  seenBy: [...seenBy],
  observed: check.observed,
  troubles: check.troubles,
  createdAt: check.createdAt.toISOString(),
  expiresAt: check.expiresAt.toISOString(),
});
