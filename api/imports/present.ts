/** Converts imports to the contract's shape. */
import type { z } from 'zod';
import { importFileName } from '../../domain/import-files/file-head.ts';
import type { Immutable } from '../contract/route.ts';
import type { importFile, readImport } from '../contract/schemas/import.ts';
import { partBytes, partCount, type Import } from '../model/import.ts';
import type { ImportView } from '../store/imports.ts';

type ShownFile = Immutable<z.input<typeof importFile>>;
type ShownImport = Immutable<z.input<typeof readImport>>['import'];

export const shownImport = ({ made, files }: ImportView): ShownImport => ({
  id: made.id,
  // Whoever shows an import has left deleted ones out.
  status: made.status as ShownImport['status'],
  clusterId: made.clusterId,
  replicaCount: made.replicaCount,
  partSizeBytes: made.partSizeBytes,
  createdAt: made.createdAt.toISOString(),
  expiresAt: made.expiresAt.toISOString(),
  databaseId: made.databaseId,
  files: files.map((file) => shownFile(made, file)),
});

export function shownFile(
  { partSizeBytes }: Pick<Import, 'partSizeBytes'>,
  { replicaIndex, sizeBytes, head, isWhole, parts }: ImportView['files'][number],
): ShownFile {
  const all = isWhole || parts.length === partCount(sizeBytes, partSizeBytes);
  const bytes = parts.map((number) => partBytes(sizeBytes, partSizeBytes, number));
  return {
    replicaIndex,
    name: head === null ? `${replicaIndex}.ledger` : importFileName(head.clusterId, replicaIndex),
    sizeBytes,
    status: all ? 'UPLOADED' : 'PENDING',
    uploadedBytes: all ? sizeBytes : bytes.reduce((sum, part) => sum + part, 0),
    parts,
    head,
  };
}
