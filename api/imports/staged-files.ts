/** Names of an import's files: in the store, and for people. */
import { rowsNames } from '../../domain/import-files/row-files.ts';
import { importFileName } from '../../domain/import-files/file-head.ts';
import { stagedKey, stagedRowsKey } from '../../domain/import-files/staged-key.ts';
import type { Import, ImportHead } from '../model/import.ts';

/** Key of a file in the store. Data files are named by their head. */
export function keyOf(
  { id, rows }: Pick<Import, 'id' | 'rows'>,
  index: number,
  head: Pick<ImportHead, 'clusterId' | 'engine'> | null,
): string {
  const name = rowsNames[index];
  if (rows !== null && name !== undefined) return stagedRowsKey(id, name);
  return stagedKey(id, head?.clusterId ?? '', index, head?.engine);
}

export function nameOf(
  { rows }: Pick<Import, 'rows'>,
  index: number,
  head: Pick<ImportHead, 'clusterId' | 'engine'> | null,
): string {
  if (rows !== null) return rowsNames[index] ?? String(index);
  return head === null ? `${index}.ledger` : importFileName(head.clusterId, index, head.engine);
}

/** The file, as refusals name it. */
export const fileWords = ({ rows }: Pick<Import, 'rows'>, index: number): string =>
  rows === null ? `the file of replica ${index}` : `the file with ${rowsNames[index] ?? index}`;
