import { seesDatabase, type Principal } from '../auth/principal.ts';
import type { backupRoutes } from '../contract/routes/backups.ts';
import type { Caller } from '../databases/database-service.ts';
import { acceptedRestore } from '../databases/handlers.ts';
import type { Surroundings } from '../databases/present.ts';
import { requireDatabase } from '../databases/require.ts';
import { etagOf } from '../http/conditional.ts';
import type { CallerFacts, Handler, HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { shownJob } from '../jobs/present.ts';
import { presentBackupStatuses, type Backup } from '../model/backup.ts';
import type { Job } from '../model/job.ts';
import { findBackup, listBackups, listRestores } from '../store/backups.ts';
import type { Cursors } from '../store/cursor.ts';
import type { Reader } from '../store/tables.ts';
import { holdBackup, releaseBackup } from './hold.ts';
import { shownBackup, type ShownBackup } from './present.ts';
import { backupNotFound } from './refusal.ts';
import {
  changeBackup,
  requestBackup,
  requestRemoval,
  requestTest,
  type AcceptedBackup,
  type BackupServices,
} from './request-backup.ts';
import { restoreBackup } from './restore.ts';

interface BackupHandlerOptions {
  readonly services: BackupServices;
  readonly requests: IdempotentRequests;
  readonly cursors: Cursors;
  readonly surroundings: () => Surroundings;
}

type Handlers = HandlersOf<typeof backupRoutes>;

export const backupHandlers = (options: BackupHandlerOptions): Handlers => ({
  createBackup: create(options),
  listBackups: list(options),
  getBackup: get(options),
  updateBackup: update(options),
  holdBackup: hold(options),
  releaseBackup: release(options),
  deleteBackup: remove(options),
  verifyBackup: test(options),
  restoreBackup: restore(options),
});

const create =
  ({ services, requests }: BackupHandlerOptions): Handler<'createBackup'> =>
  (request) =>
    requests.run<Reply>(request, async (keep) => {
      const { params, body, principal, author } = request;
      const caller = callerOf({ principal, author });
      // Nobody can have restored a backup that is only requested.
      const replyTo = ({ backup, job }: AcceptedBackup) => reply(shownBackup(backup, []), job);
      return replyTo(
        await requestBackup(services, caller, params.databaseId, body, (change, made) =>
          keep(change, replyTo(made)),
        ),
      );
    });

const list =
  ({ services: { store, backupStore }, cursors }: BackupHandlerOptions): Handler<'listBackups'> =>
  async ({ params, query, principal }) => {
    const { databaseId } = params;
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const { status, type } = query;
    const filter = { of: 'backups', databaseId, status: status ?? [], type: type ?? [] };
    const position = readCursor(cursors, filter, query.cursor, 2);
    const page = await listBackups(store.read, databaseId, {
      limit: query.limit,
      statuses: status ?? presentBackupStatuses,
      types: type,
      ...(position && { position }),
    });
    const show = await presenterOf(store.read, principal, page.rows);
    const body = shownPage(cursors, filter, query.limit, page, show);
    return { status: 200, body: { ...body, configured: backupStore } };
  };

const get =
  ({ services: { store } }: BackupHandlerOptions): Handler<'getBackup'> =>
  async ({ params, principal }) => {
    const { databaseId, backupId } = params;
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const found = await findBackup(store.read, databaseId, backupId);
    if (found === undefined) throw backupNotFound(backupId);
    const backup = (await presenterOf(store.read, principal, [found]))(found);
    const restored = backup.restores.map(({ status }) => status).join('.');
    return {
      status: 200,
      etag: etagOf(found.id, `${found.version}-${restored}`),
      body: { backup },
    };
  };

const update =
  ({ services }: BackupHandlerOptions): Handler<'updateBackup'> =>
  async ({ params, body, principal, author }) => {
    const { databaseId, backupId } = params;
    const caller = callerOf({ principal, author });
    const changed = await changeBackup(services, caller, databaseId, backupId, body);
    const show = await presenterOf(services.store.read, principal, [changed]);
    return { status: 200, body: { success: true, backup: show(changed) } };
  };

const hold =
  ({ services }: BackupHandlerOptions): Handler<'holdBackup'> =>
  async ({ params, body, principal, author }) => {
    const caller = callerOf({ principal, author });
    const held = await holdBackup(services, caller, params, body.reason);
    const show = await presenterOf(services.store.read, principal, [held]);
    return { status: 200, body: { success: true, backup: show(held) } };
  };

const release =
  ({ services }: BackupHandlerOptions): Handler<'releaseBackup'> =>
  async ({ params, principal, author }) => {
    const released = await releaseBackup(services, callerOf({ principal, author }), params);
    const show = await presenterOf(services.store.read, principal, [released]);
    return { status: 200, body: { success: true, backup: show(released) } };
  };

const remove =
  ({ services }: BackupHandlerOptions): Handler<'deleteBackup'> =>
  async ({ params, principal, author }) => {
    const caller = callerOf({ principal, author });
    const { databaseId, backupId } = params;
    const { backup, job } = await requestRemoval(services, caller, databaseId, backupId);
    const show = await presenterOf(services.store.read, principal, [backup]);
    return reply(show(backup), job);
  };

const test =
  ({ services, requests }: BackupHandlerOptions): Handler<'verifyBackup'> =>
  (request) =>
    requests.run<Reply>(request, async (keep) => {
      const { params, principal, author } = request;
      const caller = callerOf({ principal, author });
      const known = await findBackup(services.store.read, params.databaseId, params.backupId);
      const show = await presenterOf(services.store.read, principal, known ? [known] : []);
      const replyTo = ({ backup, job }: AcceptedBackup) => reply(show(backup), job);
      return replyTo(
        await requestTest(services, caller, params, (change, made) => keep(change, replyTo(made))),
      );
    });

const restore =
  ({ services, requests, surroundings }: BackupHandlerOptions): Handler<'restoreBackup'> =>
  (request) =>
    requests.run(request, async (keep) => {
      const { params, body, principal, author } = request;
      const caller = callerOf({ principal, author });
      const made = await restoreBackup(services, caller, params, body, (change, view) =>
        keep(change, acceptedRestore(view, surroundings())),
      );
      return acceptedRestore(made, surroundings());
    });

const callerOf = ({ principal, author }: CallerFacts<Principal>): Caller => ({
  organization: principal.organization,
  author,
});

/** Shows backups with the databases that began with them, as far as the caller may see these databases. */
async function presenterOf(db: Reader, principal: Principal, backups: readonly Backup[]) {
  const all = await listRestores(
    db,
    backups.map(({ id }) => id),
  );
  const restores = all.filter(({ databaseId }) => seesDatabase(principal, databaseId));
  return (backup: Backup) =>
    shownBackup(
      backup,
      restores.flatMap(({ backupId, databaseId, status }) =>
        backupId === backup.id ? [{ databaseId, status }] : [],
      ),
    );
}

type Reply = ReturnType<typeof reply>;

const reply = (backup: ShownBackup, job: Job) => ({
  status: 202 as const,
  headers: {
    Location: `/api/v1/databases/${backup.databaseId}/backups/${backup.id}`,
    Link: `</api/v1/jobs/${job.id}>; rel="monitor"`,
    'Retry-After': '5',
  },
  body: { success: true as const, backup, job: shownJob(job) },
});
