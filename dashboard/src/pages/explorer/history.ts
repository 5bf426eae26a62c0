/** The last queries of a database, kept in this browser without their results. */
import { readExplorerSearch, type ExplorerSearch } from './search.ts';
import { operations } from './operations.ts';

const queriesMax = 100;
const keyOf = (databaseId: string): string => `ledgerhouse.queries.${databaseId}`;

/** The newest first. */
export function pastQueries(databaseId: string): readonly ExplorerSearch[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(databaseId)) ?? '[]');
    return Array.isArray(kept) ? kept.map(readExplorerSearch) : [];
  } catch {
    return [];
  }
}

/** Adds a query; one that is there already moves to the front. A full storage is no error: the query runs all the same. */
export function rememberQuery(databaseId: string, search: ExplorerSearch): void {
  const { tab: _tab, run: _run, ...query } = search;
  const text = JSON.stringify(query);
  const others = pastQueries(databaseId).filter((one) => JSON.stringify(one) !== text);
  try {
    localStorage.setItem(
      keyOf(databaseId),
      JSON.stringify([query, ...others].slice(0, queriesMax)),
    );
  } catch {
    forgetQueries(databaseId);
  }
}

export const forgetQueries = (databaseId: string): void =>
  localStorage.removeItem(keyOf(databaseId));

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
