/** The files of one import, compared by their heads before anything is sent: one for each replica, in the order of the indexes. */
import { importFaults, type ImportFault } from '../../domain/import-files/faults.ts';
import type { LedgerFileHead } from '../../domain/import-files/file-head.ts';
import { assert } from '../../base/assert.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure } from '../failure.ts';
import { LocalFile } from './local-file.ts';

export interface ReplicaFile {
  readonly file: LocalFile;
  readonly head: LedgerFileHead;
}

/** The files must be closed. Throws a `CliFailure`, with all of them closed, if they are no import. */
export async function openReplicaFiles(
  paths: readonly string[],
  now: Date,
): Promise<readonly ReplicaFile[]> {
  const files: LocalFile[] = [];
  try {
    // More than any topology has are refused before they are opened: `*` may name thousands.
    if (paths.length > filesMax) throw tooMany(paths.length);
    for (const path of paths) files.push(await LocalFile.open(path));
    // Only the service knows the releases of its engines: it is asked, with the heads, before a file is sent.
    const faults = importFaults(files, { release: Number.MAX_SAFE_INTEGER, now });
    if (faults.length > 0) throw refusal(files, faults);
    return files
      .map((file) => ({ file, head: ledgerHeadOf(file) }))
      .sort((one, other) => one.head.replicaIndex - other.head.replicaIndex);
  } catch (error) {
    await Promise.all(files.map((file) => file.close()));
    throw error;
  }
}

const filesMax = 6;

const tooMany = (count: number): CliFailure =>
  importFailure(`${count} files are named; an import has 1, 3 or 6, one for each replica`);

function ledgerHeadOf({ head }: LocalFile): LedgerFileHead {
  assert(head.kind === 'ledger', 'any other file is a fault');
  return head.head;
}

function refusal(files: readonly LocalFile[], faults: readonly ImportFault[]): CliFailure {
  const errors = faults.map(({ file, detail, ...fault }) => {
    const name = file === undefined ? undefined : files[file]?.name;
    return { ...fault, ...(name !== undefined && { file: name }), detail };
  });
  const lines = errors.map(({ file, detail }) =>
    file === undefined ? detail : `${file}: ${detail}`,
  );
  const [only, second] = lines;
  const detail = second === undefined && only !== undefined ? only : 'the files cannot be imported';
  return importFailure(detail, errors);
}

const importFailure = (detail: string, errors?: readonly object[]): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Validation,
    code: 'import_not_possible',
    title: 'The files cannot be imported',
    detail,
    nextSteps: ['ledger-engine inspect FILE says what a file is'],
    ...(errors !== undefined && { problem: { errors } }),
  });
