import type { WebhookAttempt, WebhookDelivery } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { contractRequest, receive } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { readChoices, readLimit } from '../list-options.ts';
import { notePage, orDash, printAnswer } from '../output/answer.ts';
import { printable } from '../output/printable.ts';
import { fields, table } from '../output/table.ts';

const all = '/api/v1/webhook-deliveries';
const one = `${all}/{deliveryId}` as const;
const statuses = ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const;
const paramsOf = (input: Input) => ({ deliveryId: input.argument(0) });

export const listDeliveries: Handler = async (context, input) => {
  const { status } = readChoices(input, 'status', statuses);
  const query = { ...readLimit(input), ...filterOf(input), ...(status && { status: [...status] }) };
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', all, { query }));
  printAnswer(context, input, received, ({ data }) => deliveriesText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const getDelivery: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('get', one, { params: paramsOf(input) });
  const received = await receive(exchange, request);
  printAnswer(
    context,
    input,
    received,
    ({ webhookDelivery, requestBody }) =>
      `${deliveryText(webhookDelivery)}\n${printable(requestBody ?? '')}\n`,
  );
  return ExitCode.Ok;
};

export const listAttempts: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('get', `${one}/attempts`, { params: paramsOf(input) });
  printAnswer(context, input, await receive(exchange, request), ({ data }) => attemptsText(data));
  return ExitCode.Ok;
};

export const replayDelivery: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('post', `${one}/replay`, { params: paramsOf(input) });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ webhookDelivery }) => deliveryText(webhookDelivery));
  return ExitCode.Ok;
};

export const replayMany: Handler = async (context, input) => {
  const { status } = readChoices(input, 'status', statuses);
  const { exchange } = await context.service();
  const request = contractRequest('post', `${all}/replay`, {
    body: {
      ...filterOf(input),
      ...(status && { statuses: [...status] }),
      dryRun: input.has('count'),
    },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ dryRun, replayed, expedited, skipped }) =>
    fields([
      [dryRun ? 'would be made again' : 'made again', String(replayed)],
      [dryRun ? 'would be due at once' : 'due at once', String(expedited)],
      ['endpoint disabled', String(skipped)],
    ]),
  );
  if (received.document.more) context.output.note('there are more; run the command again');
  return ExitCode.Ok;
};

function filterOf(input: Input) {
  const text = <const Name extends string>(option: string, property: Name) => {
    const value = input.text(option);
    return (value === undefined ? {} : { [property]: value }) as { [N in Name]?: string };
  };
  return {
    ...text('endpoint', 'endpointId'),
    ...text('type', 'eventType'),
    ...text('id', 'deliveryId'),
    ...text('event', 'eventId'),
    ...text('answer', 'answer'),
    ...text('after', 'createdAfter'),
    ...text('before', 'createdBefore'),
  };
}

const deliveriesText = (deliveries: readonly WebhookDelivery[]): string =>
  deliveries.length === 0
    ? '(no deliveries)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'TIME', cell: ({ createdAt }) => createdAt },
          { title: 'EVENT', cell: ({ eventType }) => eventType },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'ATTEMPTS', align: 'right', cell: ({ attemptCount }) => String(attemptCount) },
          { title: 'ANSWER', cell: ({ lastStatusCode }) => orDash(lastStatusCode) },
          { title: 'NEXT', cell: ({ nextAttemptAt }) => orDash(nextAttemptAt) },
        ],
        deliveries,
      );

const deliveryText = (delivery: WebhookDelivery): string =>
  fields([
    ['id', delivery.id],
    ['endpoint', delivery.endpointId],
    ['event', `${delivery.eventId} ${delivery.eventType}`],
    ['database', orDash(delivery.databaseId)],
    ['status', delivery.status],
    ['attempts', String(delivery.attemptCount)],
    ['last answer', orDash(delivery.lastStatusCode)],
    ['last error', orDash(delivery.lastError)],
    ['next attempt', orDash(delivery.nextAttemptAt)],
    ['created', delivery.createdAt],
  ]);

const attemptsText = (attempts: readonly WebhookAttempt[]): string =>
  attempts.length === 0
    ? '(no attempts yet)\n'
    : table(
        [
          { title: '#', align: 'right', cell: ({ number }) => String(number) },
          { title: 'TIME', cell: ({ startedAt }) => startedAt },
          { title: 'TRIGGER', cell: ({ trigger }) => trigger },
          { title: 'OUTCOME', cell: ({ outcome }) => outcome },
          { title: 'STATUS', cell: ({ statusCode }) => orDash(statusCode) },
          { title: 'MS', align: 'right', cell: ({ durationMs }) => String(durationMs) },
          {
            title: 'ANSWER',
            cell: ({ error, responseExcerpt }) => orDash(responseExcerpt || error).slice(0, 80),
          },
        ],
        attempts,
      );
