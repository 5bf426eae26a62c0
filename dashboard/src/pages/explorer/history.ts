/** The last queries of a database, kept in this browser without their results. */
import { forget, keep, kept } from '../../lib/kept.ts';
import { readExplorerSearch, type ExplorerSearch } from './search.ts';
import { operations } from './operations.ts';

const queriesMax = 100;
const keyOf = (databaseId: string): string => `ledgerhouse.queries.${databaseId}`;

/** The newest first. */
export function pastQueries(databaseId: string): readonly ExplorerSearch[] {
  try {
    const past: unknown = JSON.parse(kept(keyOf(databaseId)) ?? '[]');
    return Array.isArray(past) ? past.map(readExplorerSearch) : [];
  } catch {
    return [];
  }
}

/** Adds a query; one that is there already moves to the front. */
export function rememberQuery(databaseId: string, search: ExplorerSearch): void {
  const { tab: _tab, run: _run, ...query } = search;
  const text = JSON.stringify(query);
  const others = pastQueries(databaseId).filter((one) => JSON.stringify(one) !== text);
  keep(keyOf(databaseId), JSON.stringify([query, ...others].slice(0, queriesMax)));
}

export const forgetQueries = (databaseId: string): void => forget(keyOf(databaseId));

/** `Query accounts: ledger 978, code 10`. */
export function wordsOfQuery({ op = 'query_accounts', ...filters }: ExplorerSearch): string {
  const words = Object.entries(filters).map(
    ([name, value]) => `${name.replaceAll('_', ' ')} ${value.replaceAll(/\s+/g, ' ')}`,
  );
  const text = words.join(', ');
  const cut = text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
  return cut === '' ? operations[op].title : `${operations[op].title}: ${cut}`;
}

const shownMax = 80;
