import { access } from '../../model/access.ts';
import { answer, jsonBody, type RouteSpec } from '../route.ts';
import {
  changedMaintenanceWindow,
  maintenanceWindowExample,
  maintenanceWindowRequest,
  readMaintenanceWindow,
} from '../schemas/maintenance-window.ts';

const ofOrganization = '/api/v1/maintenance-window';
const ofDatabase = '/api/v1/databases/{databaseId}/maintenance-window';
const tag = 'Configuration';

const moves =
  'A change that waits for the window then waits for the new one. A window says when changes begin; one that has begun is carried through, also beyond the end.';

const body = jsonBody(maintenanceWindowRequest, {
  sundayNight: {
    weekday: 'SUNDAY',
    startTime: '02:00',
    lengthMinutes: 240,
    timeZone: 'Europe/Vienna',
  },
});
const shown = (from: 'DATABASE' | 'ORGANIZATION' | 'DEFAULT') =>
  ({ ...maintenanceWindowExample, from }) as const;
const changed = (from: 'DATABASE' | 'ORGANIZATION' | 'DEFAULT') =>
  answer('The window that counts now.', changedMaintenanceWindow, {
    success: true,
    maintenanceWindow: shown(from),
  });

export const maintenanceWindowRoutes = {
  getOrganizationMaintenanceWindow: {
    method: 'GET',
    path: ofOrganization,
    tag,
    summary: 'Read the maintenance window of the organization',
    description: 'It applies to databases that have none of their own.',
    access: access.any,
    responses: {
      200: answer('The window.', readMaintenanceWindow, {
        maintenanceWindow: shown('ORGANIZATION'),
      }),
    },
    problems: [],
    conditional: 'settings',
  },
  setOrganizationMaintenanceWindow: {
    method: 'PUT',
    path: ofOrganization,
    tag,
    summary: 'Set the maintenance window of the organization',
    description: moves,
    access: access.changeDatabase,
    body,
    responses: { 200: changed('ORGANIZATION') },
    problems: [],
    conditional: 'match',
  },
  resetOrganizationMaintenanceWindow: {
    method: 'DELETE',
    path: ofOrganization,
    tag,
    summary: 'Reset the maintenance window of the organization to the default',
    description: 'Asked for again, the answer is the same.',
    access: access.changeDatabase,
    responses: { 200: changed('DEFAULT') },
    problems: [],
    conditional: 'match',
  },
  getDatabaseMaintenanceWindow: {
    method: 'GET',
    path: ofDatabase,
    tag,
    summary: 'Read the maintenance window of a database',
    description: 'Its own one, or that of the organization.',
    access: access.readDatabase,
    responses: {
      200: answer('The window.', readMaintenanceWindow, { maintenanceWindow: shown('DATABASE') }),
    },
    problems: [],
    conditional: 'settings',
  },
  setDatabaseMaintenanceWindow: {
    method: 'PUT',
    path: ofDatabase,
    tag,
    summary: 'Give a database a maintenance window of its own',
    description: moves,
    access: access.changeDatabase,
    body,
    responses: { 200: changed('DATABASE') },
    problems: [],
    conditional: 'match',
  },
  resetDatabaseMaintenanceWindow: {
    method: 'DELETE',
    path: ofDatabase,
    tag,
    summary: 'Reset a database to the maintenance window of the organization',
    description: 'Asked for again, the answer is the same.',
    access: access.changeDatabase,
    responses: { 200: changed('ORGANIZATION') },
    problems: [],
    conditional: 'match',
  },
} as const satisfies Record<string, RouteSpec>;
