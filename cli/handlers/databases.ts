import type {
  CreateDatabaseRequest,
  CreatedDatabase,
  Database,
  DatabasePlan,
  UpdateDatabaseRequest,
} from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import {
  labelAndProtection,
  labelsOf,
  protectionOf,
  sharedCreateFields,
  sharedCreateOptions,
  textFields,
} from '../create-fields.ts';
import { confirmByName, requireConfirmable } from '../confirm.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure, usageFailure } from '../failure.ts';
import { contractRequest, receive, type Received } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { followJob, readWaitMs, watchJob } from '../job-watch.ts';
import { readChoices, readLimit } from '../list-options.ts';
import { notePage, printAnswer } from '../output/answer.ts';
import { databasesText, databaseText, planText } from '../output/database.ts';
import { givenPayload } from '../payload-source.ts';

const statuses = ['PROVISIONING', 'READY', 'SUSPENDED', 'FAILED', 'DELETING', 'DELETED'] as const;
const orders = ['createdAt', '-createdAt', 'name'] as const;
const one = '/api/v1/databases/{databaseId}';

export const listDatabases: Handler = async (context, input) => {
  const [sort] = readChoices(input, 'sort', orders).sort ?? [];
  const text = (option: string, property: string) => {
    const value = input.text(option);
    return value === undefined ? {} : { [property]: value };
  };
  const labels = input.list('label');
  const query = {
    ...readLimit(input),
    ...readChoices(input, 'status', statuses),
    ...text('name', 'name'),
    ...text('search', 'q'),
    ...text('provider', 'provider'),
    ...text('region', 'region'),
    ...(labels.length === 0 ? {} : { label: labels }),
    ...(input.has('include-deleted') ? { includeDeleted: true } : {}),
    ...(sort === undefined ? {} : { sort }),
  };
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', '/api/v1/databases', { query }));
  printAnswer(context, input, received, ({ data }) => databasesText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const getDatabase: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const id = await databaseIdOf(exchange, input.argument(0));
  printDatabase(context, input, await readDatabase(context, id));
  return ExitCode.Ok;
};

export const createDatabase: Handler = async (context, input) => {
  const waitMs = readWaitMs(input);
  const body = await createBody(context, input);
  const path = '/api/v1/databases';
  if (input.has('plan')) return printPlan(context, input, body);
  const request = contractRequest('post', path, { body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  return followCreated(context, input, await receive(exchange, request), waitMs);
};

/** Prints a database that was asked for, or waits until it is there. `import` does the same. */
export async function followCreated(
  context: Context,
  input: Input,
  received: Received<CreatedDatabase | DatabasePlan>,
  waitMs: number | undefined,
): Promise<ExitCode> {
  const { document } = received;
  if (!('job' in document)) throw new TypeError('only a plan has no job');
  context.output.note(document.provisioning.message);
  // If people do the provisioning, nobody knows how long it takes.
  const isWaiting = document.provisioning.started ? waitMs : undefined;
  return follow(context, input, { ...received, document }, isWaiting);
}

async function printPlan(
  context: Context,
  input: Input,
  body: CreateDatabaseRequest | Uint8Array,
): Promise<ExitCode> {
  const request = {
    ...contractRequest('post', '/api/v1/databases', { body, query: { dryRun: true } }),
    writes: false,
  };
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  const received = await receive(exchange, request);
  printAnswer(context, input, received, (document) =>
    'plan' in document ? planText(document) : databaseText(document.database),
  );
  return ExitCode.Ok;
}

/** Options that `import` does not have: the files decide. */
const ownCreateOptions = {
  'cluster-configuration': 'clusterConfiguration',
  engine: 'engine',
} as const;

async function createBody(
  { output }: Context,
  input: Input,
): Promise<CreateDatabaseRequest | Uint8Array> {
  const flags = [...Object.keys(ownCreateOptions), ...sharedCreateOptions];
  const [name] = input.arguments;
  const given = await givenPayload(input, output, flags);
  if (given !== undefined) {
    if (name === undefined) return given;
    throw usageFailure(`the payload is sent unchanged, so the name "${name}" must be in it`);
  }
  if (name === undefined)
    throw usageFailure('<name> is missing', 'give it, or a payload with --payload or --file');
  return { name, ...textFields(input, ownCreateOptions), ...sharedCreateFields(input) };
}

export const updateDatabase: Handler = async (context, input) => {
  const options = [...labelAndProtection, 'remove-label'];
  const given = await givenPayload(input, context.output, options);
  const removed = Object.fromEntries(input.list('remove-label').map((key) => [key, null]));
  const labels = { ...removed, ...labelsOf(input).labels };
  const body: UpdateDatabaseRequest = {
    ...(Object.keys(labels).length > 0 && { labels }),
    ...protectionOf(input),
  };
  if (given === undefined && Object.keys(body).length === 0) {
    throw usageFailure(
      'no change is given',
      'give --label, --remove-label, --deletion-protection or --no-deletion-protection',
    );
  }
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const request = contractRequest('patch', one, { params: { databaseId }, body: given ?? body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  printDatabase(context, input, await receive(exchange, request));
  return ExitCode.Ok;
};

export const deleteDatabase: Handler = async (context, input) => {
  const waitMs = readWaitMs(input);
  if (!input.has('dry-run')) requireConfirmable(input);
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const query = input.has('final-backup') ? { finalBackup: true } : {};
  const request = contractRequest('delete', one, { params: { databaseId }, query });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { document } = await readDatabase(context, databaseId);
  await confirmByName(input, document.database.name);
  const received = await receive(exchange, request).catch((error: unknown) => {
    if (document.database.deletedAt !== null || !isNotFound(error)) throw error;
    return undefined;
  });
  if (received === undefined) {
    // The database existed before: a lost attempt, or somebody else, has deleted it meanwhile.
    printDatabase(context, input, await readDatabase(context, databaseId));
    return ExitCode.Ok;
  }
  const { job, database } = received.document;
  context.output.note(
    input.has('final-backup')
      ? 'its data go once the last backup is made; a new database can begin with it'
      : `it can be restored until ${database.purgeAt ?? 'its data are deleted'}`,
  );
  if (waitMs !== undefined) await watchJob(context, job.id, waitMs);
  printDatabase(context, input, received);
  return ExitCode.Ok;
};

export const restoreDatabase: Handler = async (context, input) => {
  const waitMs = readWaitMs(input);
  const name = input.text('name');
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0), { deleted: true });
  const request = contractRequest('post', `${one}/restore`, {
    params: { databaseId },
    body: name === undefined ? {} : { name },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  return follow(context, input, await receive(exchange, request), waitMs);
};

const isNotFound = (error: unknown): boolean =>
  error instanceof CliFailure && error.fields.exitCode === ExitCode.NotFound;

type Accepted = Received<{ readonly database: Database; readonly job: { readonly id: string } }>;

function follow(
  context: Context,
  input: Input,
  accepted: Accepted,
  waitMs: number | undefined,
): Promise<ExitCode> {
  const { database, job } = accepted.document;
  return followJob(context, {
    subject: `database ${database.id}`,
    jobId: job.id,
    waitMs,
    printNow: () => printDatabase(context, input, accepted),
    printThen: async () => printDatabase(context, input, await readDatabase(context, database.id)),
  });
}

async function readDatabase({ service }: Context, databaseId: string) {
  const { exchange } = await service();
  return receive(exchange, contractRequest('get', one, { params: { databaseId } }));
}

const printDatabase = (
  context: Context,
  input: Input,
  received: Received<{ readonly database: Database }>,
): void => printAnswer(context, input, received, ({ database }) => databaseText(database));
