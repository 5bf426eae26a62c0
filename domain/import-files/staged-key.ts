import { importFileName, type FileEngine } from './file-head.ts';

/** Folder of an import in the bucket. It is no archive's, because the ID of a database has no hyphen. */
export const stagedFolder = (importId: string): string => `import-files/${importId}/`;

/** A file to be imported, under its recommended name. */
export const stagedKey = (
  importId: string,
  clusterId: bigint | string,
  replicaIndex: number,
  engine: FileEngine = 'Builtin',
): string => `${stagedFolder(importId)}${importFileName(clusterId, replicaIndex, engine)}`;

export type RowsName = 'accounts' | 'transfers';

/** A file with rows to be imported. */
export const stagedRowsKey = (importId: string, rows: RowsName): string =>
  `${stagedFolder(importId)}${rows}.rows`;

/** Result of a trial of rows, as JSON. */
export const rowsReportKey = (importId: string): string => `${stagedFolder(importId)}report.json`;
