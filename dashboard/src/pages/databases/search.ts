/** The list's filters, kept in the address. The page reads them, not the router, whose code every page loads. */
import { given, textOf, wordOf } from '../../lib/search.ts';

export const statuses = [
  'PROVISIONING',
  'READY',
  'SUSPENDED',
  'FAILED',
  'DELETING',
  'DELETED',
] as const;

export const readListSearch = (search: Record<string, unknown>) =>
  given({
    q: textOf(search['q'], 63),
    status: wordOf(search['status'], statuses),
    provider: textOf(search['provider'], 40),
    region: textOf(search['region'], 40),
    label: textOf(search['label'], 320),
    deleted: search['deleted'] === '1' || search['deleted'] === true ? true : undefined,
    sort: wordOf(search['sort'], ['name', 'createdAt'] as const),
  });

export type ListSearch = ReturnType<typeof readListSearch>;
