import { aboutDatabase, databaseFact } from '../databases/events.ts';
import {
  timeZoneProblem,
  windowAt,
  type MaintenanceWindow,
} from '../../domain/maintenance-window.ts';
import type { maintenanceWindowRoutes } from '../contract/routes/maintenance-windows.ts';
import { databaseNotFound, deletedAlready } from '../databases/refusal.ts';
import { requireDatabase } from '../databases/require.ts';
import { checkMatch, settingsTag } from '../http/conditional.ts';
import { notThere } from '../http/gate.ts';
import type { Handler, HandlersOf, RequestTo } from '../http/handler.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import { lockDatabase, updateDatabase } from '../store/databases.ts';
import {
  moveWaitingChanges,
  setOrganizationWindow,
  windowOfDatabase,
  windowOfOrganization,
  type EffectiveWindow,
} from '../store/maintenance-windows.ts';
import { findOrganization, lockOrganization } from '../store/organizations.ts';
import type { Store } from '../store/store.ts';
import type { Reader } from '../store/tables.ts';
import { storeTime } from '../store/time.ts';

interface WindowServices {
  readonly store: Store;
}

export const maintenanceWindowHandlers = ({
  store,
}: WindowServices): HandlersOf<typeof maintenanceWindowRoutes> => ({
  getOrganizationMaintenanceWindow: async ({ principal: { organization } }) => {
    const found = await findOrganization(store.read, organization.id);
    const effective = windowOfOrganization(found ?? organization);
    return {
      status: 200,
      etag: tagOf(effective),
      body: { maintenanceWindow: await shown(store.read, effective) },
    };
  },
  setOrganizationMaintenanceWindow: ({ principal, author, body, ifMatch }) =>
    store.change(author, (change) =>
      changeOrganization(change, principal.organization.id, requested(body), ifMatch),
    ),
  resetOrganizationMaintenanceWindow: ({ principal, author, ifMatch }) =>
    store.change(author, (change) =>
      changeOrganization(change, principal.organization.id, null, ifMatch),
    ),
  getDatabaseMaintenanceWindow: get(store),
  setDatabaseMaintenanceWindow: (request) =>
    changeDatabase(store, request, requested(request.body)),
  resetDatabaseMaintenanceWindow: (request) => changeDatabase(store, request, null),
});

const get =
  (store: Store): Handler<'getDatabaseMaintenanceWindow'> =>
  async ({ params, principal }) => {
    const database = await requireDatabase(
      store.read,
      principal.organization.id,
      params.databaseId,
    );
    const effective = await windowOfDatabase(store.read, database);
    return {
      status: 200,
      etag: tagOf(effective),
      body: { maintenanceWindow: await shown(store.read, effective) },
    };
  };

/** The lock keeps a change from being accepted for the window before, meanwhile. */
async function changeOrganization(
  change: Change,
  id: string,
  window: MaintenanceWindow | null,
  ifMatch: string | undefined,
) {
  const before = await lockOrganization(change, id);
  if (before === undefined) throw notThere('organizationId', id);
  checkMatch(ifMatch, tagOf(windowOfOrganization(before)));
  const isSame = canonicalJson(before.maintenanceWindow) === canonicalJson(window);
  const after = isSame ? before : await setOrganizationWindow(change, id, window);
  const effective = windowOfOrganization(after);
  const answer = await changed(change, effective);
  if (isSame) return answer;
  await moveWaitingChanges(change, { organizationId: id }, await beginOf(change.db, effective));
  change.emit({
    organizationId: id,
    type: 'organization.changed',
    subject: { type: 'organization', id, display: after.name },
    data: { organization: { id, name: after.name } },
    changes: [{ path: '/maintenanceWindow', from: before.maintenanceWindow, to: window }],
  });
  return answer;
}

type Changing = Pick<
  RequestTo<'resetDatabaseMaintenanceWindow'>,
  'params' | 'principal' | 'author' | 'ifMatch'
>;

async function changeDatabase(
  store: Store,
  { params: { databaseId: id }, principal: { organization }, author, ifMatch }: Changing,
  window: MaintenanceWindow | null,
) {
  await requireDatabase(store.read, organization.id, id);
  return store.change(author, async (change) => {
    // Before the database, as in all changes: a change of the organization's window must not pass this one.
    await lockOrganization(change, organization.id);
    const before = await lockDatabase(change, id);
    if (before === undefined) throw databaseNotFound(id);
    if (before.deletedAt !== null) throw deletedAlready(before);
    checkMatch(ifMatch, tagOf(await windowOfDatabase(change.db, before)));
    const isSame = canonicalJson(before.maintenanceWindow) === canonicalJson(window);
    const after = isSame ? before : await updateDatabase(change, id, { maintenanceWindow: window });
    const effective = await windowOfDatabase(change.db, after);
    const answer = await changed(change, effective);
    if (isSame) return answer;
    await moveWaitingChanges(change, { databaseId: id }, await beginOf(change.db, effective));
    change.emit({
      ...aboutDatabase(after),
      type: 'database.changed',
      data: { database: databaseFact(after) },
      changes: [{ path: '/maintenanceWindow', from: before.maintenanceWindow, to: window }],
    });
    return answer;
  });
}

function requested(window: MaintenanceWindow): MaintenanceWindow {
  const detail = timeZoneProblem(window.timeZone);
  if (detail === undefined) return window;
  throw new Refusal('validation_failed', {
    detail: `${detail}.`,
    errors: [{ pointer: '#/timeZone', code: 'unknown_time_zone', detail }],
  });
}

const beginOf = async (db: Reader, { window }: EffectiveWindow): Promise<Date> =>
  windowAt(window, await storeTime(db)).beginsAt;

const changed = async ({ db }: Change, effective: EffectiveWindow) => ({
  status: 200 as const,
  etag: tagOf(effective),
  body: { success: true as const, maintenanceWindow: await shown(db, effective) },
});

/** ETag of the window that applies, and of the place where it is set. */
const tagOf = ({ window, from }: EffectiveWindow): string =>
  settingsTag('window', { window, from });

async function shown(db: Reader, { window, from }: EffectiveWindow) {
  const { weekday, startTime, lengthMinutes, timeZone } = window;
  const next = shownTimes(windowAt(window, await storeTime(db)));
  return { weekday, startTime, lengthMinutes, timeZone, from, next };
}

export const shownTimes = ({ beginsAt, endsAt }: ReturnType<typeof windowAt>) => ({
  beginsAt: beginsAt.toISOString(),
  endsAt: endsAt.toISOString(),
});
