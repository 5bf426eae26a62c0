import { sleep } from '../../base/timers.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { contractRequest, execute, receive } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { orDash, printAnswer } from '../output/answer.ts';
import { fields, table } from '../output/table.ts';
import { rotationNote, rotationOf } from '../secret-rotation.ts';

const one = '/api/v1/webhook-endpoints/{endpointId}';
const paramsOf = (input: Input) => ({ endpointId: input.argument(0) });

export const listWebhooks: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', '/api/v1/webhook-endpoints'));
  printAnswer(context, input, received, ({ data }) => endpointsText(data));
  return ExitCode.Ok;
};

export const getWebhook: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('get', one, { params: paramsOf(input) });
  printAnswer(context, input, await receive(exchange, request), ({ webhookEndpoint }) =>
    endpointText(webhookEndpoint),
  );
  return ExitCode.Ok;
};

export const createWebhook: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const types = input.list('type');
  const [database, description] = [input.text('database'), input.text('description')];
  const request = contractRequest('post', '/api/v1/webhook-endpoints', {
    body: {
      url: input.argument(0),
      ...(types.length > 0 && { eventTypes: [...types] }),
      ...(description !== undefined && { description }),
      ...(database !== undefined && {
        databaseScope: { type: 'DATABASE', databaseId: await databaseIdOf(exchange, database) },
      }),
    },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ secret }) => `${secret}\n`);
  context.output.note(
    `${received.document.webhookEndpoint.id}; requests are signed with the secret`,
  );
  return ExitCode.Ok;
};

export const updateWebhook: Handler = async (context, input) => {
  const types = input.list('type');
  const isUnrestricted = input.has('all-databases');
  const [url, database, description] = ['url', 'database', 'description'].map((name) =>
    input.text(name),
  );
  if (isUnrestricted && database !== undefined) {
    throw usageFailure('--database and --all-databases exclude each other');
  }
  const { exchange } = await context.service();
  const body = {
    ...(url !== undefined && { url }),
    ...(types.length > 0 && { eventTypes: [...types] }),
    ...(description !== undefined && { description }),
    ...(isUnrestricted && { databaseScope: { type: 'ALL' as const } }),
    ...(database !== undefined && {
      databaseScope: {
        type: 'DATABASE' as const,
        databaseId: await databaseIdOf(exchange, database),
      },
    }),
  };
  if (Object.keys(body).length === 0) {
    throw usageFailure(
      'no change is given',
      'give --url, --type, --database, --all-databases or --description',
    );
  }
  const request = contractRequest('patch', one, { params: paramsOf(input), body });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  printAnswer(context, input, await receive(exchange, request), ({ webhookEndpoint }) =>
    endpointText(webhookEndpoint),
  );
  return ExitCode.Ok;
};

export const enableWebhook: Handler = (context, input) => setStatus(context, input, 'ENABLED');
export const disableWebhook: Handler = (context, input) => setStatus(context, input, 'DISABLED');

async function setStatus(context: Context, input: Input, status: 'ENABLED' | 'DISABLED') {
  const { exchange } = await context.service();
  const request = contractRequest('patch', one, { params: paramsOf(input), body: { status } });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  printAnswer(context, input, await receive(exchange, request), ({ webhookEndpoint }) =>
    endpointText(webhookEndpoint),
  );
  return ExitCode.Ok;
}

export const deleteWebhook: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('delete', one, { params: paramsOf(input) });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  await execute(exchange, request);
  context.output.note(`${input.argument(0)} is deleted`);
  return ExitCode.Ok;
};

export const showSecret: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('get', `${one}/secret`, { params: paramsOf(input) });
  printAnswer(context, input, await receive(exchange, request), ({ secret }) => `${secret}\n`);
  return ExitCode.Ok;
};

export const rotateSecret: Handler = async (context, input) => {
  const body = rotationOf(input);
  const { exchange } = await context.service();
  const request = contractRequest('post', `${one}/secret/rotate`, {
    params: paramsOf(input),
    body,
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ secret }) => `${secret}\n`);
  context.output.note(rotationNote(received.document.webhookEndpoint.previousSecretUntil));
  return ExitCode.Ok;
};

const pollMs = 500;
/** Longer than an attempt may take. */
const testMaxMs = 30_000;

export const testWebhook: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('post', `${one}/test`, { params: paramsOf(input) });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  let received: Awaited<ReturnType<typeof deliveryNow>> = await receive(exchange, request);
  const deliveryId = received.document.webhookDelivery.id;
  const { timers } = context;
  const endsAtMs = timers.nowMs() + testMaxMs;
  while (received.document.webhookDelivery.attemptCount === 0 && timers.nowMs() < endsAtMs) {
    await sleep(timers, pollMs);
    received = await deliveryNow(context, deliveryId);
  }
  printAnswer(context, input, received, ({ webhookDelivery }) => testText(webhookDelivery));
  return received.document.webhookDelivery.status === 'SUCCEEDED' ? ExitCode.Ok : ExitCode.General;
};

async function deliveryNow(context: Context, deliveryId: string) {
  const { exchange } = await context.service();
  const path = '/api/v1/webhook-deliveries/{deliveryId}';
  const received = await receive(
    exchange,
    contractRequest('get', path, { params: { deliveryId } }),
  );
  const { webhookDelivery } = received.document;
  return { answer: received.answer, document: { webhookDelivery } };
}

function testText({
  id,
  status,
  attemptCount,
  lastStatusCode,
  lastError,
}: WebhookDelivery): string {
  if (status === 'SUCCEEDED') return `the receiver answered ${lastStatusCode ?? '-'}\n`;
  const why = attemptCount === 0 ? 'it was not sent yet; does a worker run?' : orDash(lastError);
  return `NOT DELIVERED: ${why}\nattempts: ledgerhouse deliveries attempts ${id}\n`;
}

const endpointsText = (endpoints: readonly WebhookEndpoint[]): string =>
  endpoints.length === 0
    ? '(no webhook endpoints)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'OK', align: 'right', cell: ({ stats24h }) => String(stats24h.success) },
          { title: 'FAILED', align: 'right', cell: ({ stats24h }) => String(stats24h.failed) },
          { title: 'PENDING', align: 'right', cell: ({ stats24h }) => String(stats24h.pending) },
          { title: 'EVENTS', cell: ({ eventTypes }) => eventTypes.join(',') },
          { title: 'URL', cell: ({ url }) => url },
        ],
        endpoints,
      );

const endpointText = (endpoint: WebhookEndpoint): string =>
  fields([
    ['id', endpoint.id],
    ['url', endpoint.url],
    ['description', orDash(endpoint.description)],
    ['status', endpoint.status],
    ['reason', orDash(endpoint.disabledReason)],
    ['events', endpoint.eventTypes.join(', ')],
    [
      'database',
      'databaseId' in endpoint.databaseScope ? endpoint.databaseScope.databaseId : 'all',
    ],
    ['failing since', orDash(endpoint.failingSince)],
    ['throttled until', orDash(endpoint.throttledUntil)],
    ['old secret until', orDash(endpoint.previousSecretUntil)],
    [
      'last 24 hours',
      `${endpoint.stats24h.success} delivered, ${endpoint.stats24h.failed} failed, ${endpoint.stats24h.pending} pending`,
    ],
    ['created', endpoint.createdAt],
  ]);
