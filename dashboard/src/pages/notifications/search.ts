/** The filters of the page, kept in the address. */
import { given, wordOf } from '../../lib/search.ts';

const notificationViews = ['unread', 'preferences'] as const;

export const readNotificationSearch = (search: Record<string, unknown>) =>
  given({ view: wordOf(search['view'], notificationViews) });
