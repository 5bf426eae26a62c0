import type { CurrentMetricsAnswer, QueryMetricsRequest } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { readDurationMs } from '../duration.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure, valueFailure } from '../failure.ts';
import { contractRequest, receive, type Received } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { readChoices } from '../list-options.ts';
import { orDash, printAnswer } from '../output/answer.ts';
import { currentText, seriesText } from '../output/metrics.ts';
import { table } from '../output/table.ts';

const one = '/api/v1/databases/{databaseId}/metrics';
const functions = ['avg', 'min', 'max', 'last', 'sum', 'rate', 'p50', 'p95', 'p99'] as const;
const sinceDefault = '1h';

export const showMetrics: Handler = async (context, input) => {
  const series = input.list('series');
  const ways = [series.length > 0, input.has('list'), input.has('marks'), input.has('requests')];
  if (ways.filter(Boolean).length > 1) {
    throw usageFailure('--series, --list, --marks and --requests exclude each other');
  }
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  if (input.has('list')) await printList(context, input, databaseId);
  else if (input.has('marks')) await printMarks(context, input, databaseId);
  else if (input.has('requests')) await printRequests(context, input, databaseId);
  else if (series.length > 0) await printSeries(context, input, databaseId, series);
  else {
    const received = await readCurrent(context, databaseId);
    printAnswer(context, input, received, ({ current }) => currentText(current));
  }
  return ExitCode.Ok;
};

/** Reads the newest figures of a database. */
export async function readCurrent(
  context: Context,
  databaseId: string,
): Promise<Received<CurrentMetricsAnswer>> {
  const { exchange } = await context.service();
  return receive(exchange, contractRequest('get', `${one}/current`, { params: { databaseId } }));
}

async function printSeries(
  context: Context,
  input: Input,
  databaseId: string,
  series: readonly string[],
): Promise<void> {
  const [fn] = readChoices(input, 'fn', functions).fn ?? [];
  const { from, to } = spanOf(context, input);
  const body = {
    series: [...series] as QueryMetricsRequest['series'],
    from,
    to,
    filters: input.list('filter').map(filterOf),
    ...(fn !== undefined && { fn }),
  };
  const { exchange } = await context.service();
  const request = contractRequest('post', `${one}/query`, { params: { databaseId }, body });
  printAnswer(context, input, await receive(exchange, request), seriesText);
}

function filterOf(text: string) {
  const at = text.indexOf('=');
  if (at <= 0) throw valueFailure(`--filter must be label=value, not "${text}"`);
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}

function spanOf({ timers }: Context, input: Input) {
  const sinceMs = readDurationMs('--since', input.text('since') ?? sinceDefault);
  const toMs = timers.wallMs();
  return { from: new Date(toMs - sinceMs).toISOString(), to: new Date(toMs).toISOString() };
}

async function printList(context: Context, input: Input, databaseId: string): Promise<void> {
  const { exchange } = await context.service();
  const request = contractRequest('get', `${one}/series`, { params: { databaseId } });
  printAnswer(context, input, await receive(exchange, request), ({ data }) =>
    table(
      [
        { title: 'SERIES', cell: ({ name }) => name },
        { title: 'UNIT', cell: ({ unit }) => unit },
        { title: 'LABELS', cell: ({ labels }) => orDash(labels.join(' ')) },
        { title: 'FUNCTIONS', cell: (row) => row.functions.join(' ') },
        { title: 'WHAT', cell: ({ description }) => description },
      ],
      data,
    ),
  );
}

async function printMarks(context: Context, input: Input, databaseId: string): Promise<void> {
  const { exchange } = await context.service();
  const query = spanOf(context, input);
  const request = contractRequest('get', `${one}/marks`, { params: { databaseId }, query });
  printAnswer(context, input, await receive(exchange, request), ({ data }) =>
    data.length === 0
      ? 'Nothing happened in this time.\n'
      : table(
          [
            { title: 'AT', cell: ({ at }) => at },
            { title: 'KIND', cell: ({ kind }) => kind },
            { title: 'WHAT', cell: ({ text }) => text },
          ],
          data,
        ),
  );
}

async function printRequests(context: Context, input: Input, databaseId: string): Promise<void> {
  const { exchange } = await context.service();
  const query = { ...spanOf(context, input), limit: 100 };
  const request = contractRequest('get', '/api/v1/databases/{databaseId}/requests', {
    params: { databaseId },
    query,
  });
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ data }) =>
    data.length === 0
      ? 'No request was slow or failed in this time.\n'
      : table(
          [
            { title: 'AT', cell: ({ at }) => at },
            { title: 'OPERATION', cell: ({ operation }) => operation },
            { title: 'OUTCOME', cell: ({ code }) => code ?? 'slow' },
            { title: 'EVENTS', cell: ({ events }) => String(events) },
            { title: 'TOOK', cell: ({ durationMs }) => `${durationMs} ms` },
            { title: 'REQUEST', cell: ({ requestId }) => requestId },
            { title: 'STANDS FOR', cell: ({ standsFor }) => String(standsFor) },
          ],
          data,
        ),
  );
  if (received.document.page.hasMore) context.output.note('older ones are left out');
}
