/** Converts imports to the contract's shape. */
import type { z } from 'zod';
import type { Immutable } from '../contract/route.ts';
import type { importFile, readImport } from '../contract/schemas/import.ts';
import { partBytes, partCount, type Import } from '../model/import.ts';
import type { RowsReport } from '../model/rows-import.ts';
import type { ImportView } from '../store/imports.ts';
import { nameOf } from './staged-files.ts';

type ShownFile = Immutable<z.input<typeof importFile>>;
type ShownImport = Immutable<z.input<typeof readImport>>['import'];

export const shownImport = ({ made, files }: ImportView): ShownImport => ({
  id: made.id,
  kind: made.rows === null ? 'DATA_FILES' : 'ROWS',
  // Callers omit deleted imports.
  status: made.status as ShownImport['status'],
  clusterId: made.clusterId,
  replicaCount: made.replicaCount,
  partSizeBytes: made.partSizeBytes,
  createdAt: made.createdAt.toISOString(),
  expiresAt: made.expiresAt.toISOString(),
  databaseId: made.databaseId,
  report: made.report === null ? null : shownReport(made.report),
  files: files.map((file) => shownFile(made, file)),
});

const shownReport = ({
  accounts,
  transfers,
  faultCount,
  faults,
}: RowsReport): NonNullable<ShownImport['report']> => ({
  accounts,
  transfers,
  faultCount,
  faults: faults.map(({ field = null, ...fault }) => ({ ...fault, field })),
});

export function shownFile(
  made: Pick<Import, 'partSizeBytes' | 'rows'>,
  { replicaIndex, sizeBytes, head, isWhole, parts }: ImportView['files'][number],
): ShownFile {
  const { partSizeBytes } = made;
  const all = isWhole || parts.length === partCount(sizeBytes, partSizeBytes);
  const bytes = parts.map((number) => partBytes(sizeBytes, partSizeBytes, number));
  return {
    replicaIndex,
    name: nameOf(made, replicaIndex, head),
    sizeBytes,
    status: all ? 'UPLOADED' : 'PENDING',
    uploadedBytes: all ? sizeBytes : bytes.reduce((sum, part) => sum + part, 0),
    parts,
    head: head && { ...head, engine: head.engine ?? 'Builtin' },
  };
}
