import type { Change, ChangeRequest, PreviewChangeRequest } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure, valueFailure } from '../failure.ts';
import { contractRequest, receive, type Received } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { followJob, readWaitMs } from '../job-watch.ts';
import { readInteger } from '../ledger/integers.ts';
import { readChoices, readLimit } from '../list-options.ts';
import { notePage, printAnswer } from '../output/answer.ts';
import { changesText, changeText, previewText } from '../output/change.ts';
import { givenPayload } from '../payload-source.ts';

const statuses = ['QUEUED', 'APPLYING', 'APPLIED', 'FAILED', 'CANCELED'] as const;
const all = '/api/v1/databases/{databaseId}/changes';
const one = '/api/v1/databases/{databaseId}/changes/{changeId}';

export const listChanges: Handler = async (context, input) => {
  const query = { ...readLimit(input), ...readChoices(input, 'status', statuses) };
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const received = await receive(
    exchange,
    contractRequest('get', all, { params: { databaseId }, query }),
  );
  printAnswer(context, input, received, ({ data }) => changesText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const getChange: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const params = { databaseId, changeId: input.argument(1) };
  const received = await receive(exchange, contractRequest('get', one, { params }));
  printAnswer(context, input, received, ({ change }) => changeText(change));
  return ExitCode.Ok;
};

export const withdrawChange: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const params = { databaseId, changeId: input.argument(1) };
  const request = contractRequest('delete', one, { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ change }) => changeText(change));
  return ExitCode.Ok;
};

export const beginChange: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const params = { databaseId, changeId: input.argument(1) };
  const request = contractRequest('post', `${one}/begin`, { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ change }) => changeText(change));
  return ExitCode.Ok;
};

export const previewChange: Handler = async (context, input) => {
  const given = await givenPayload(input, context.output, [...wantedOptions, 'apply-at']);
  return preview(context, input, bodyOf(input, given ?? wantedOf(input)));
};

/** Also `databases resize`, `databases upgrade` and `backups archive`, which have fewer options, and no payload. */
export const createChange: Handler = async (context, input) => {
  const given = input.declares('file')
    ? await givenPayload(input, context.output, [...wantedOptions, 'apply-at'])
    : undefined;
  return requestChange(context, input, given ?? wantedOf(input));
};

async function requestChange(
  context: Context,
  input: Input,
  wanted: Omit<ChangeRequest, 'applyAt'> | Uint8Array,
): Promise<ExitCode> {
  const waitMs = readWaitMs(input);
  const body = bodyOf(input, wanted);
  if (isGiven(input, 'plan')) return preview(context, input, body);
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const request = contractRequest('post', all, { params: { databaseId }, body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  return followChange(context, input, await receive(exchange, request), waitMs);
}

/** A payload has its own `applyAt`. */
function bodyOf(
  input: Input,
  wanted: Omit<ChangeRequest, 'applyAt'> | Uint8Array,
): ChangeRequest | Uint8Array {
  const at = textOf(input, 'apply-at');
  return wanted instanceof Uint8Array || at === undefined ? wanted : { ...wanted, applyAt: at };
}

export const suspendDatabase: Handler = (context, input) => switchTo(context, input, true);
export const resumeDatabase: Handler = (context, input) => switchTo(context, input, false);

export const suspendStreams: Handler = (context, input) => switchStreams(context, input, true);
export const resumeStreams: Handler = (context, input) => switchStreams(context, input, false);

function switchStreams(context: Context, input: Input, suspended: boolean): Promise<ExitCode> {
  return requestChange(context, input, { changeDataCapture: { suspended } });
}

async function switchTo(context: Context, input: Input, suspended: boolean): Promise<ExitCode> {
  const waitMs = readWaitMs(input);
  if (input.has('plan')) return preview(context, input, { suspended });
  const { exchange } = await context.service();
  const params = { databaseId: await databaseIdOf(exchange, input.argument(0)) };
  const request = suspended
    ? contractRequest('post', '/api/v1/databases/{databaseId}/suspend', { params })
    : contractRequest('post', '/api/v1/databases/{databaseId}/resume', { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  return followChange(context, input, await receive(exchange, request), waitMs);
}

async function preview(
  context: Context,
  input: Input,
  body: PreviewChangeRequest | Uint8Array,
): Promise<ExitCode> {
  const { exchange } = await context.service();
  const params = { databaseId: await databaseIdOf(exchange, input.argument(0)) };
  const path = '/api/v1/databases/{databaseId}/changes/preview';
  const request = { ...contractRequest('post', path, { params, body }), writes: false };
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  printAnswer(context, input, await receive(exchange, request), previewText);
  return ExitCode.Ok;
}

type Accepted = Received<{
  readonly change: Change;
  readonly job: { readonly id: string } | null;
}>;

/** Waits for the job if requested, and prints the change as it is afterwards. A change that waits is printed at once. */
export async function followChange(
  context: Context,
  input: Input,
  accepted: Accepted,
  waitMs: number | undefined,
): Promise<ExitCode> {
  const { change, job } = accepted.document;
  const print = (received: Received<{ readonly change: Change }>) =>
    printAnswer(context, input, received, (document) => changeText(document.change));
  if (job === null) {
    print(accepted);
    context.output.note(
      `it waits; to withdraw it: ledgerhouse changes withdraw ${change.databaseId} ${change.id}`,
    );
    if (change.applyAt !== 'now') {
      context.output.note(
        `to begin it at once: ledgerhouse changes begin ${change.databaseId} ${change.id}`,
      );
    }
    return ExitCode.Ok;
  }
  const { exchange } = await context.service();
  const params = { databaseId: change.databaseId, changeId: change.id };
  return followJob(context, {
    subject: `change ${change.id}`,
    jobId: job.id,
    waitMs,
    printNow: () => print(accepted),
    printThen: async () => print(await receive(exchange, contractRequest('get', one, { params }))),
  });
}

const shapes = ['single', 'ha-3', 'ha-6'] as const;

const wantedOptions = [
  'cluster-configuration',
  'cluster-size',
  'selected-storage-gb',
  'autogrow-limit-gb',
  'no-autogrow',
  'engine-version',
  'archive-within-seconds',
  'no-archive',
  'parameter',
  'reset-parameter',
  'revision',
];

function wantedOf(input: Input): Omit<ChangeRequest, 'applyAt'> {
  const [size, version] = [textOf(input, 'cluster-size'), textOf(input, 'engine-version')];
  const storage = integerOf(input, 'selected-storage-gb');
  const limitGb = integerOf(input, 'autogrow-limit-gb');
  const revision = integerOf(input, 'revision');
  const shape = shapeOf(textOf(input, 'cluster-configuration'));
  if (limitGb !== undefined && isGiven(input, 'no-autogrow')) {
    throw usageFailure('--autogrow-limit-gb and --no-autogrow exclude each other');
  }
  const rpoSeconds = integerOf(input, 'archive-within-seconds');
  if (rpoSeconds !== undefined && isGiven(input, 'no-archive')) {
    throw usageFailure('--archive-within-seconds and --no-archive exclude each other');
  }
  const parameters = {
    ...Object.fromEntries(listOf(input, 'reset-parameter').map((name) => [name, null])),
    ...Object.fromEntries(listOf(input, 'parameter').map(pairOf)),
  };
  const wanted = {
    ...(shape !== undefined && { clusterConfiguration: shape }),
    ...(size !== undefined && { clusterSize: size }),
    ...(storage !== undefined && { selectedStorageGb: storage }),
    ...(limitGb !== undefined && { autogrow: { limitGb } }),
    ...(isGiven(input, 'no-autogrow') && { autogrow: null }),
    ...(version !== undefined && { engineVersion: version }),
    ...(rpoSeconds !== undefined && { continuousArchiving: { rpoSeconds } }),
    ...(isGiven(input, 'no-archive') && { continuousArchiving: null }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(revision !== undefined && { revision }),
  };
  if (Object.keys(wanted).length > 0) return wanted;
  throw usageFailure('no change is given', 'give at least one option that changes something');
}

function shapeOf(text: string | undefined): (typeof shapes)[number] | undefined {
  const shape = shapes.find((one) => one === text);
  if (text === undefined || shape !== undefined) return shape;
  throw valueFailure(`--cluster-configuration "${text}" is not one of ${shapes.join(', ')}`);
}

function integerOf(input: Input, option: string): number | undefined {
  const text = textOf(input, option);
  if (text === undefined) return undefined;
  return Number(readInteger(`--${option}`, text, { bits: 32, minimum: 1n }));
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw valueFailure(`--parameter must be name=value, not "${text}"`);
}

/** Commands of one kind of change have only its options. */
const textOf = (input: Input, option: string): string | undefined =>
  input.declares(option) ? input.text(option) : undefined;
const listOf = (input: Input, option: string): readonly string[] =>
  input.declares(option) ? input.list(option) : [];
const isGiven = (input: Input, option: string): boolean =>
  input.declares(option) && input.has(option);
