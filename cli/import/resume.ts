/** Reads an import that is to be resumed, and checks that the files are its own. */
import { rowsNames } from '../../domain/import-files/row-files.ts';
import type { Import } from '../../gen/api.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure, usageFailure } from '../failure.ts';
import { contractRequest, receive } from '../http/contract.ts';
import type { ImportSource, SourceFile } from './source-files.ts';

/** Accepted difference between the clocks of this machine and the service. */
const clockDifferenceMs = 60_000;

/** Without files, the import must be READY, or its rows must be in their trial. */
export async function resumeImport(
  { service, output }: Context,
  importId: string,
  { kind, files }: ImportSource,
): Promise<Import> {
  const { exchange } = await service();
  const request = contractRequest('get', '/api/v1/imports/{importId}', { params: { importId } });
  const { document } = await receive(exchange, request);
  const found = document.import;
  requireUsable(found);
  if (found.status === 'UPLOADING' && files.length === 0) {
    throw usageFailure(
      'the files of this import are not uploaded completely',
      'name the files that you named before',
    );
  }
  if (files.length > 0) requireSame(found, kind, files);
  for (const { file } of files) {
    if (file.changedAt.getTime() <= Date.parse(found.createdAt) + clockDifferenceMs) continue;
    output.warn(
      `warning: ${file.name} was changed, or copied, after this import began; if its content is another, start again without --resume`,
    );
  }
  return found;
}

export function requireUsable({ id, status, databaseId }: Import): void {
  if (status === 'UPLOADING' || status === 'CHECKING' || status === 'READY') return;
  if (status === 'FAULTY') {
    throw notUsable(
      `the rows of the import ${id} have faults`,
      `see them: ledgerhouse imports show ${id}; then start again without --resume`,
    );
  }
  if (status === 'USED') {
    throw notUsable(
      `a database was made of the import ${id}`,
      `ledgerhouse databases get ${databaseId ?? 'ID'}`,
    );
  }
  throw notUsable(
    `the files of the import ${id} were removed: it has expired`,
    'start again without --resume',
  );
}

const notUsable = (detail: string, step: string): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Conflict,
    code: 'import_not_resumable',
    title: 'The import cannot be resumed',
    detail,
    nextSteps: [step],
  });

/** Throws if the files differ from those of the import: the upload would mix parts of both. */
function requireSame(
  { id, kind, files: staged }: Import,
  named: ImportSource['kind'],
  files: readonly SourceFile[],
): void {
  // A service that takes no rows tells no kind.
  if ((named === 'ROWS') !== (kind === 'ROWS'))
    throw otherFiles(id, 'one is of data files, the other of rows');
  if (staged.length !== files.length) {
    throw otherFiles(id, `it has ${staged.length} files, and ${files.length} are named`);
  }
  for (const { replicaIndex, sizeBytes, head: known } of staged) {
    const own = files.find(({ index }) => index === replicaIndex);
    const which =
      kind === 'ROWS' ? `with ${rowsNames[replicaIndex]}` : `of replica ${replicaIndex}`;
    if (own === undefined) throw otherFiles(id, `the file ${which} is missing`);
    const { file, head } = own;
    if (file.sizeBytes !== sizeBytes) {
      const what = `${file.name} has ${file.sizeBytes} bytes, and that of the import ${sizeBytes}`;
      throw otherFiles(id, what);
    }
    const isSame =
      known === null ||
      head === undefined ||
      (known.clusterId === String(head.clusterId) && known.stateHash === head.stateHash);
    if (!isSame) throw otherFiles(id, `${file.name} is of another cluster or another moment`);
  }
}

const otherFiles = (id: string, what: string): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Validation,
    code: 'other_files',
    title: 'These are not the files of the import',
    detail: `these are not the files of the import ${id}: ${what}`,
    nextSteps: ['name the files that you named before, or start again without --resume'],
  });
