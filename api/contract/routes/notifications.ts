import { z } from 'zod';
import { access } from '../../model/access.ts';
import { answer, jsonBody, type RouteSpec } from '../route.ts';
import { cursor, emptyPage, limit } from '../schemas/common.ts';
import {
  changedNotificationPreferences,
  notificationExample,
  notificationList,
  notificationPreferencesExample,
  readNotificationPreferences,
  readNotifications,
  readNotificationsRequest,
  updateNotificationPreferencesRequest,
} from '../schemas/notification.ts';

const path = '/api/v1/notifications';
const preferences = '/api/v1/notification-preferences';
const tag = 'Notifications';

export const notificationRoutes = {
  listNotifications: {
    method: 'GET',
    path,
    tag,
    summary: 'List your notifications',
    description:
      'The newest first: events of the last 90 days that concern your role and the databases that you may see, that you did not cause yourself, and that you did not mute.',
    access: access.anyPerson,
    query: z.strictObject({
      limit,
      cursor,
      unreadOnly: z.boolean().default(false),
    }),
    responses: {
      200: answer('A page of notifications.', notificationList, {
        data: [notificationExample],
        page: emptyPage,
        unread: 1,
      }),
    },
    problems: ['invalid_cursor'],
  },
  readNotifications: {
    whileSuspended: true,
    method: 'PATCH',
    path,
    tag,
    summary: 'Count notifications as read',
    description:
      'All up to the one that you name; later ones stay unread. A lower number than before changes nothing.',
    access: access.anyPerson,
    body: jsonBody(readNotificationsRequest, { seen: { readThrough: '184467' } }),
    responses: {
      200: answer('They are read.', readNotifications, { success: true, unread: 0 }),
    },
    problems: [],
  },
  getNotificationPreferences: {
    method: 'GET',
    path: preferences,
    tag,
    summary: 'Read which notifications you get',
    description: 'Preferences are yours alone, for this organization.',
    access: access.anyPerson,
    responses: {
      200: answer('Your preferences.', readNotificationPreferences, {
        notificationPreferences: notificationPreferencesExample,
      }),
    },
    problems: [],
  },
  updateNotificationPreferences: {
    whileSuspended: true,
    method: 'PATCH',
    path: preferences,
    tag,
    summary: 'Choose which notifications you get',
    access: access.anyPerson,
    body: jsonBody(updateNotificationPreferencesRequest, {
      quiet: { mutedKinds: ['engine_upgraded'] },
      mail: { mailKinds: ['database_trouble'], digestKinds: ['change_failed'] },
    }),
    responses: {
      200: answer('Your preferences from now on.', changedNotificationPreferences, {
        success: true,
        notificationPreferences: notificationPreferencesExample,
      }),
    },
    problems: ['database_not_found'],
  },
} as const satisfies Record<string, RouteSpec>;
