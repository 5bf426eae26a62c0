/**
 * The files of one import, compared by their heads before anything is sent: data files, one for each replica, or rows. In the
 * order of their indexes.
 */
import { importFaults, type ImportFault } from '../../domain/import-files/faults.ts';
import { areRows, areSwapped, rowFilesFaults } from '../../domain/import-files/row-files.ts';
import { dataFileHeadOf, type DataFileHead } from '../../domain/import-files/file-head.ts';
import { assert } from '../../base/assert.ts';
import type { Import } from '../../gen/api.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure } from '../failure.ts';
import { LocalFile } from './local-file.ts';

export interface SourceFile {
  readonly file: LocalFile;
  readonly index: number;
  /** Head of a data file; absent for rows. */
  readonly head?: DataFileHead;
}

export interface ImportSource {
  readonly kind: Import['kind'];
  readonly files: readonly SourceFile[];
}

/** The files must be closed. Throws a `CliFailure`, with all of them closed, if they are no import. */
export async function openSource(paths: readonly string[], now: Date): Promise<ImportSource> {
  const files: LocalFile[] = [];
  try {
    // More than any topology has are refused before they are opened: `*` may name thousands.
    if (paths.length > filesMax) throw tooMany(paths.length);
    for (const path of paths) files.push(await LocalFile.open(path));
    return areRows(files) ? rowsOf(files) : dataFilesOf(files, now);
  } catch (error) {
    await Promise.all(files.map((file) => file.close()));
    throw error;
  }
}

function rowsOf(files: readonly LocalFile[]): ImportSource {
  const sorted = areSwapped(files) ? files.toReversed() : files;
  const faults = rowFilesFaults(sorted).map(({ file, line, field, code, detail }) => {
    const name = file === undefined ? undefined : sorted[file]?.name;
    return {
      ...(name !== undefined && { file: line === 0 ? name : `${name}:${line}` }),
      ...(field !== undefined && { field }),
      code,
      detail: field === undefined ? detail : `${field}: ${detail}`,
    };
  });
  if (faults.length > 0) throw rowsRefusal(faults);
  return { kind: 'ROWS', files: sorted.map((file, index) => ({ file, index })) };
}

function dataFilesOf(files: readonly LocalFile[], now: Date): ImportSource {
  // Only the service knows the releases of its engines: it is asked, with the heads, before a file is sent.
  const release = Number.MAX_SAFE_INTEGER;
  const faults = importFaults(files, { release, tigerBeetleRelease: release, now });
  if (faults.length > 0) throw refusal(files, faults);
  const withHeads = files.map((file) => {
    const head = headOf(file);
    return { file, head, index: head.replicaIndex };
  });
  return {
    kind: 'DATA_FILES',
    files: withHeads.sort((one, other) => one.index - other.index),
  };
}

const filesMax = 6;

const tooMany = (count: number): CliFailure =>
  importFailure(`${count} files are named; an import has 1, 3 or 6, one for each replica`);

function headOf({ head }: LocalFile): DataFileHead {
  const found = dataFileHeadOf(head);
  assert(found !== undefined, 'any other file is a fault');
  return found.head;
}

function refusal(files: readonly LocalFile[], faults: readonly ImportFault[]): CliFailure {
  const errors = faults.map(({ file, detail, ...fault }) => {
    const name = file === undefined ? undefined : files[file]?.name;
    return { ...fault, ...(name !== undefined && { file: name }), detail };
  });
  return importFailure(oneDetail(errors), errors, [
    'ledger-engine inspect FILE says what a file is',
  ]);
}

const rowsRefusal = (
  faults: readonly { readonly file?: string; readonly detail: string }[],
): CliFailure =>
  importFailure(oneDetail(faults), faults, [
    'see "CSV and NDJSON" in docs/operating/import.md for the columns',
  ]);

function oneDetail(errors: readonly { readonly file?: string; readonly detail: string }[]): string {
  const [only, second] = errors.map(({ file, detail }) =>
    file === undefined ? detail : `${file}: ${detail}`,
  );
  return second === undefined && only !== undefined ? only : 'the files cannot be imported';
}

const importFailure = (
  detail: string,
  errors?: readonly object[],
  nextSteps: readonly string[] = [],
): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Validation,
    code: 'import_not_possible',
    title: 'The files cannot be imported',
    detail,
    nextSteps,
    ...(errors !== undefined && { problem: { errors } }),
  });
