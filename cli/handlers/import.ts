import { assert } from '../../base/assert.ts';
import { dataFileHeadOf, type FileEngine } from '../../domain/import-files/file-head.ts';
import { volumeForFile } from '../../domain/import-files/volume-for-file.ts';
import type { CreateDatabaseRequest, Import } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { sharedCreateFields } from '../create-fields.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure, usageFailure, valueFailure } from '../failure.ts';
import { contractRequest, execute, receive } from '../http/contract.ts';
import { fileChanged } from '../import/local-file.ts';
import { openSource, type ImportSource } from '../import/source-files.ts';
import { resumeImport } from '../import/resume.ts';
import { beginImport, stageFiles } from '../import/staging.ts';
import { awaitTrial } from '../import/trial.ts';
import { printAnswer } from '../output/answer.ts';
import { importText } from '../output/import.ts';
import type { Input } from '../input.ts';
import { interruptible } from '../interruption.ts';
import { readWaitMs } from '../job-watch.ts';
import { shownFigure } from '../output/metrics.ts';
import { followCreated } from './databases.ts';

const databases = '/api/v1/databases';
const gibibyte = 2 ** 30;
const topologies: Readonly<Record<number, string>> = { 1: 'single', 3: 'ha-3', 6: 'ha-6' };

/** Uploads data files or rows, and makes a database that begins with them; or only tries rows. */
export const importFiles: Handler = async (context, input) => {
  const waitMs = readWaitMs(input);
  const choices = input.has('trial') ? undefined : readChoices(input);
  const importId = input.text('resume');
  if (importId === undefined && input.arguments.length === 0) {
    throw usageFailure(
      '<file> is missing',
      'name one data file for each replica, or a file with accounts and one with transfers',
    );
  }
  const now = new Date(context.timers.wallMs());
  const source: ImportSource =
    input.arguments.length === 0
      ? { kind: 'DATA_FILES', files: [] }
      : await openSource(input.arguments, now);
  const { files } = source;
  try {
    const resumed =
      importId === undefined ? undefined : await resumeImport(context, importId, source);
    const kind = resumed?.kind ?? source.kind;
    requireOptionsOf(input, kind);
    if (choices !== undefined && resumed?.status !== 'READY')
      await requirePossible(context, choices, { kind, files });
    const found = resumed ?? (await beginImport(context, source, input.has('ignore-balances')));
    await stage(context, input, { found, files });
    if (choices === undefined) return await endTrial(context, input, found);
    const received = await create(context, choices, found);
    return await followCreated(context, input, received, waitMs);
  } finally {
    await Promise.all(files.map(({ file }) => file.close()));
  }
};

/** Options that say nothing about the other kind of files are refused. */
function requireOptionsOf(input: Input, kind: Import['kind']): void {
  if (kind === 'ROWS') return;
  for (const option of ['trial', 'ignore-balances', 'cluster-configuration'])
    if (input.has(option) || input.text(option) !== undefined)
      throw usageFailure(`--${option} is for files with accounts and transfers`);
}

/** Prints what was found, and removes what was only tried. */
async function endTrial(context: Context, input: Input, { id }: Import): Promise<ExitCode> {
  const { exchange } = await context.service();
  const params = { importId: id };
  const read = contractRequest('get', '/api/v1/imports/{importId}', { params });
  const received = await receive(exchange, read);
  await execute(exchange, contractRequest('delete', '/api/v1/imports/{importId}', { params }));
  printAnswer(context, input, received, (document) => importText(document.import));
  return ExitCode.Ok;
}

function readChoices(input: Input): CreateDatabaseRequest {
  const name = input.text('name');
  if (name === undefined) throw usageFailure('--name is missing: the name of the new database');
  const clusterConfiguration = input.text('cluster-configuration');
  return {
    name,
    ...sharedCreateFields(input),
    ...(clusterConfiguration !== undefined && { clusterConfiguration }),
  };
}

/** The engine of files that belong together. */
function engineOf([first]: ImportSource['files']): FileEngine {
  const found = dataFileHeadOf(first?.file.head);
  assert(found !== undefined, 'any other file is a fault');
  return found.engine;
}

function topologyOf(files: number): { readonly clusterConfiguration: string } {
  const clusterConfiguration = topologies[files];
  assert(clusterConfiguration !== undefined, 'there are as many files as a topology has replicas');
  return { clusterConfiguration };
}

/** Asks for the plan of the database first: an upload of hours must not end with a name that is taken or a volume that is too small. */
async function requirePossible(
  { service }: Context,
  choices: CreateDatabaseRequest,
  { kind, files }: ImportSource,
): Promise<void> {
  const { exchange } = await service();
  const body =
    kind === 'ROWS'
      ? { ...choices, engine: 'Builtin' as const }
      : { ...choices, ...topologyOf(files.length), engine: engineOf(files) };
  const request = contractRequest('post', databases, { body, query: { dryRun: true } });
  const { document } = await receive(exchange, { ...request, writes: false });
  if (!('plan' in document)) throw new TypeError('only a database that is made has no plan');
  const { billing, plan } = document;
  if (!billing.ready) throw billingRequired(billing.reason);
  const { selectedStorageGb } = plan;
  for (const { file } of files) {
    const neededGb =
      body.engine === 'TigerBeetle' ? volumeForFile(file.sizeBytes) : file.sizeBytes / gibibyte;
    if (neededGb <= selectedStorageGb) continue;
    const size = shownFigure(file.sizeBytes, 'bytes');
    throw valueFailure(
      `${file.name} has ${size}, and each replica would have ${selectedStorageGb} GiB of storage`,
      'choose more with --selected-storage-gb; see: ledgerhouse catalog',
    );
  }
}

/** Uploads the missing parts, and waits for the trial of rows. The user can resume the import after any failure but a changed file. */
async function stage(
  context: Context,
  input: Input,
  { found, files }: { readonly found: Import; readonly files: ImportSource['files'] },
): Promise<void> {
  if (found.status === 'READY') return;
  context.output.note(`import ${found.id}, expires at ${found.expiresAt}`);
  const staged = { found, files, retry: !input.has('no-retry') };
  try {
    await interruptible(async (signal) => {
      if (found.status === 'UPLOADING') await stageFiles(context, staged, signal);
      if (found.kind === 'ROWS') await awaitTrial(context, staged, signal);
    });
  } catch (error) {
    if (!(error instanceof CliFailure) || error.fields.code === 'rows_faulty') throw error;
    // The uploaded parts of a changed file do not fit the rest of it.
    const resume = `to continue, run the same command with --resume ${found.id}`;
    throw error.withNextSteps(
      ...(error.fields.code === fileChanged ? [] : [resume]),
      `to remove the uploaded parts: ledgerhouse imports delete ${found.id}`,
    );
  }
}

async function create({ service }: Context, choices: CreateDatabaseRequest, found: Import) {
  const { exchange } = await service();
  const body = { ...choices, mode: 'import' as const, importId: found.id };
  try {
    return await receive(exchange, contractRequest('post', databases, { body }));
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    throw error.withNextSteps(
      `the files are uploaded; to continue, run the same command with --resume ${found.id}`,
    );
  }
}

const billingRequired = (reason: string | null): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Permission,
    code: 'billing_required',
    title: 'Billing is not ready',
    detail: `the organization could not pay for the database (${reason ?? 'unknown reason'})`,
    nextSteps: ['see what is missing: ledgerhouse billing get'],
  });
