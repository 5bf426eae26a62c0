/** Imports of accounts and transfers in CSV or NDJSON: how they are executed, and what their trial found. */
import type { RowFault } from '../../domain/import-files/row-faults.ts';
import type { RowsName } from '../../domain/import-files/staged-key.ts';

/** All files of an import of rows together. */
export const rowsBytesMax = 4 * 1024 ** 3;

/** Digests of the uploaded bytes: a trial and a database read these bytes or none. */
export interface UploadedRows {
  /** SHA-256 of the SHA-256s of a file's parts, in hexadecimal. */
  readonly accounts: string;
  readonly transfers?: string;
  readonly partSizeBytes: number;
  /** When they were completed, in nanoseconds since 1970: rows without timestamps begin there. */
  readonly now: string;
  readonly ignoreBalances: boolean;
}

export interface RowsImport {
  readonly ignoreBalances: boolean;
  /** Absent until all parts are there. */
  readonly uploaded?: UploadedRows;
}

export interface ReportedFault extends RowFault {
  /** Null: it is a fault of neither file. */
  readonly file: RowsName | null;
}

export interface RowsReport {
  readonly accounts: number;
  readonly transfers: number;
  /** All faults, also those that are not listed. */
  readonly faultCount: number;
  readonly faults: readonly ReportedFault[];
  /** Release of the engine that tried them; null if none could. */
  readonly release: string | null;
  /** State (OP/HASH) that the rows came to; null if there is a fault. */
  readonly state: string | null;
}
