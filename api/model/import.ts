/** Imports: data files, or rows, that customers upload, so that a new database begins with them. */
import type { FileEngine } from '../../domain/import-files/file-head.ts';
import type { Actor } from './actor.ts';
import type { RowsImport, RowsReport } from './rows-import.ts';

/**
 * `UPLOADING`: parts are taken. `CHECKING`: rows are tried. `READY`: a database can begin with it. `FAULTY`: rows have faults. `USED`: a
 * database began with it. `EXPIRED`: nobody used it in time.
 */
export const importStatuses = [
  'UPLOADING',
  'CHECKING',
  'READY',
  'FAULTY',
  'USED',
  'EXPIRED',
] as const;
/** `DELETED` ones are shown to nobody; their rows stay until nothing of them is in the store. */
export type ImportStatus = (typeof importStatuses)[number] | 'DELETED';

const mebibyte = 1024 * 1024;
/** Most parts that S3 takes for one object. */
export const importPartsMax = 10_000;
export const importPartBytesMax = 16 * mebibyte;
export const importFileBytesMax = importPartsMax * importPartBytesMax;
/** Imports of an organization that are UPLOADING, CHECKING or READY at a time. */
export const importsMax = 3;
export const importDays = 7;

/** All files of an import have parts of this size: 8 MiB, or 16 MiB where S3's number of parts would not do. */
export const partSizeFor = (largestBytes: number): number =>
  largestBytes > importPartsMax * 8 * mebibyte ? importPartBytesMax : 8 * mebibyte;

/** Number of parts of a file. */
export const partCount = (sizeBytes: number, partSizeBytes: number): number =>
  Math.ceil(sizeBytes / partSizeBytes);

/** Bytes of one part, numbered from 1; 0 if the file has no such part. */
export function partBytes(sizeBytes: number, partSizeBytes: number, number: number): number {
  const before = (number - 1) * partSizeBytes;
  return Math.max(0, Math.min(partSizeBytes, sizeBytes - before));
}

/** Content of the head of a file, in the form of rows and answers. */
export interface ImportHead {
  /** Absent in rows of releases that took files of the built-in engine alone. */
  readonly engine?: FileEngine;
  /** u128 as a decimal. */
  readonly clusterId: string;
  readonly replicaIndex: number;
  readonly replicaCount: number;
  /** Such as 0.17.9. */
  readonly release: string;
  readonly op: number;
  /** Nanoseconds since 1970, as a decimal. */
  readonly timestamp: string;
  readonly stateHash: string;
}

/** The engine whose files an import has; `undefined`: rows, or none of them has been looked at. */
export const engineOf = (heads: readonly (ImportHead | null)[]): FileEngine | undefined => {
  const head = heads.find((one) => one !== null);
  return head && (head.engine ?? 'Builtin');
};

export interface Import {
  /** TypeID `imp_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly status: ImportStatus;
  /** The cluster that the files were exported from; null until a head is known. */
  readonly clusterId: string | null;
  /** Null: rows, with which any number of replicas begins. */
  readonly replicaCount: number | null;
  /** Null: data files. */
  readonly rows: RowsImport | null;
  /** Result of the trial of rows; null before its end. */
  readonly report: RowsReport | null;
  readonly partSizeBytes: number;
  /** The database that begins, or began, with it. */
  readonly databaseId: string | null;
  readonly createdBy: Actor;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface ImportFile {
  readonly replicaIndex: number;
  readonly sizeBytes: number;
  readonly head: ImportHead | null;
  /** ID of the multipart upload in the store; null: none was begun. */
  readonly uploadId: string | null;
  /** Whether it is one object in the store. */
  readonly isWhole: boolean;
}
