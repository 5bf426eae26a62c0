import type { ConnectionCheck, ConnectionCheckAnswer, ConnectionSnippet } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import { languages } from '../commands/connection.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { readDurationMs } from '../duration.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure, valueFailure } from '../failure.ts';
import { contractRequest, receive, type Received } from '../http/contract.ts';
import { explained } from '../http/next-step.ts';
import type { Input } from '../input.ts';
import { longPoll } from '../long-poll.ts';
import { orDash, printAnswer } from '../output/answer.ts';
import { lineEnded } from '../output/output.ts';
import { printableLines } from '../output/printable.ts';
import { fields, table } from '../output/table.ts';

const all = '/api/v1/databases/{databaseId}/connection-checks';
const one = '/api/v1/databases/{databaseId}/connection-checks/{checkId}';

export const showSnippet: Handler = async (context, input) => {
  const language = languageOf(input);
  const checkId = input.text('check');
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const query = { ...language, ...(checkId !== undefined && { checkId }) };
  const request = contractRequest('get', '/api/v1/databases/{databaseId}/snippets', {
    params: { databaseId },
    query,
  });
  const received = await found(receive(exchange, request));
  printAnswer(context, input, received, ({ snippet }) =>
    input.has('program') ? programOf(snippet) : snippetText(snippet),
  );
  return ExitCode.Ok;
};

export const createCheck: Handler = async (context, input) => {
  const body = languageOf(input);
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const request = contractRequest('post', all, { params: { databaseId }, body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printCheck(context, input, received);
  const { id } = received.document.connectionCheck;
  const { output } = context;
  output.note(`for a program: ledgerhouse connection snippet ${databaseId} --check ${id}`);
  output.note(`to wait for the lookup: ledgerhouse connection checks watch ${databaseId} ${id}`);
  return ExitCode.Ok;
};

export const getCheck: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const params = await paramsOf(context, input);
  const received = await found(receive(exchange, contractRequest('get', one, { params })));
  printCheck(context, input, received);
  return ExitCode.Ok;
};

export const watchCheck: Handler = async (context, input) => {
  const given = input.text('wait-timeout');
  const waitMs = given === undefined ? Infinity : readDurationMs('--wait-timeout', given);
  const params = await paramsOf(context, input);
  let told = 0;
  const last = await longPoll(context, waitMs, {
    ask: (waitSeconds) => poll(context, params, waitSeconds),
    look: (received) => {
      const { status, troubles } = received.document.connectionCheck;
      for (const { code, detail } of troubles.slice(told))
        context.output.note(`${code}: ${detail}`);
      told = troubles.length;
      return status === 'WAITING' ? undefined : received;
    },
  });
  if (last === undefined) throw stillWaiting(params);
  printCheck(context, input, last);
  const isVerified = last.document.connectionCheck.status === 'VERIFIED';
  return isVerified ? ExitCode.Ok : ExitCode.General;
};

async function poll({ service }: Context, params: Named, waitSeconds: number) {
  const { exchange } = await service();
  const request = contractRequest('get', one, { params, query: { waitSeconds } });
  return found(receive(exchange, request));
}

const stillWaiting = ({ databaseId, checkId }: Named): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Unknown,
    code: 'wait_timeout',
    title: 'The check still waits',
    detail: `no client has looked up the account of ${checkId} yet`,
    nextSteps: [`ledgerhouse connection checks watch ${databaseId} ${checkId}`],
  });

interface Named {
  readonly databaseId: string;
  readonly checkId: string;
}

async function paramsOf({ service }: Context, input: Input): Promise<Named> {
  const { exchange } = await service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  return { databaseId, checkId: input.argument(1) };
}

const found = <T>(work: Promise<T>): Promise<T> =>
  explained(
    work,
    'connection_check_not_found',
    'begin one: ledgerhouse connection checks create DATABASE',
  );

function languageOf(input: Input): { readonly language?: (typeof languages)[number] } {
  const given = input.text('language');
  if (given === undefined) return {};
  const language = languages.find((candidate) => candidate === given.toLowerCase());
  if (language !== undefined) return { language };
  throw valueFailure(`--language "${given}" is not one of ${languages.join(', ')}`);
}

/** Safe for a terminal, and with the tabs that programs have. */
const codeText = (text: string): string =>
  lineEnded(text.split('\t').map(printableLines).join('\t'));

function programOf({ title, file, language }: ConnectionSnippet): string {
  if (file !== null) return codeText(file.content);
  throw valueFailure(
    `${title} needs no program`,
    `see the commands: leave out --program, or choose another --language than ${language}`,
  );
}

function snippetText({ title, notes, install, file, run, environment }: ConnectionSnippet): string {
  const variables = Object.entries(environment).map(([name, value]) => `export ${name}=${value}\n`);
  const part = (heading: string, text: string | null) =>
    text === null || text === '' ? [] : [`${heading}\n\n${indented(text)}`];
  return [
    notes === '' ? `${title}\n` : codeText(`${title}: ${notes}`),
    ...part('Install:', install),
    ...(file === null ? [] : part(`${file.name}:`, file.content)),
    ...part('Run, with an API key in LEDGERHOUSE_API_KEY:', `${variables.join('')}${run}`),
  ].join('\n');
}

const indented = (text: string): string => codeText(text).replaceAll(/^(?=.)/gm, '  ');

const printCheck = (
  context: Context,
  input: Input,
  received: Received<ConnectionCheckAnswer>,
): void =>
  printAnswer(context, input, received, ({ connectionCheck }) => checkText(connectionCheck));

function checkText(check: ConnectionCheck): string {
  const { observed, troubles } = check;
  const text = fields([
    ['id', check.id],
    ['database', check.databaseId],
    ['status', check.status],
    ['account', check.accountId],
    ['language', orDash(check.language)],
    ['seen by', check.seenBy.join(', ')],
    ...(observed === null ? [] : observedFields(observed)),
    ['created', check.createdAt],
    ['expires', check.expiresAt],
  ]);
  if (troubles.length === 0) return text;
  return `${text}\n${table(
    [
      { title: 'AT', cell: ({ at }) => at },
      { title: 'TROUBLE', cell: ({ code }) => code },
      { title: 'WHAT', cell: ({ detail }) => detail },
    ],
    troubles,
  )}`;
}

const observedFields = ({
  at,
  via,
  client,
  clientVersion,
  ip,
  latencyMs,
}: NonNullable<ConnectionCheck['observed']>): readonly (readonly [string, string])[] => [
  ['looked up', at],
  ['by way of', via],
  ['client', [client, clientVersion].filter((part) => part !== null).join(' ') || '-'],
  ['address', orDash(ip)],
  ['took', latencyMs === null ? '-' : `${latencyMs} ms`],
];
