import { sleep } from '../../base/timers.ts';
import type { LogLine } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { readDurationMs } from '../duration.ts';
import { ExitCode } from '../exit-code.ts';
import { valueFailure } from '../failure.ts';
import { contractRequest, receive } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { readChoices, readRowLimit } from '../list-options.ts';
import { printable } from '../output/printable.ts';
import { survived } from '../survived.ts';

const path = '/api/v1/databases/{databaseId}/logs';
const severities = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;
const components = ['engine', 'agent', 'etcd', 'backup'] as const;
const sinceDefault = '1h';
const limitDefault = 100;
const followedAtOnce = 500;
const everyMs = 2_000;

/** Prints each line once: the next read returns only lines that were kept after the last printed one. */
export const printLogs: Handler = async (context, input) => {
  const filter = filterOf(input);
  const sinceMs = readDurationMs('--since', input.text('since') ?? sinceDefault);
  const given = input.text('limit');
  const limit = given === undefined ? limitDefault : readRowLimit(given);
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const since = new Date(context.timers.wallMs() - sinceMs).toISOString();
  const read = async (more: { after?: string; limit: number }) => {
    const query = { ...filter, since, ...more };
    const request = contractRequest('get', path, { params: { databaseId }, query });
    return (await receive(exchange, request)).document;
  };
  const { data: newest, page } = await read({ limit });
  if (page.hasMore) context.output.note(`earlier lines are left out: --limit, --since or a filter`);
  print(context, input, [...newest].reverse());
  if (!input.has('follow')) return ExitCode.Ok;
  const printed = new Set(newest.map(({ id }) => id));
  for (let { after } = page; ;) {
    const next = await survived(context, () => read({ after, limit: followedAtOnce }));
    print(context, input, next?.data.filter(({ id }) => !printed.has(id)) ?? []);
    after = next?.page.after ?? after;
    if (next?.page.hasMore !== true) await sleep(context.timers, everyMs);
  }
};

function filterOf(input: Input) {
  const [severity] = readChoices(input, 'severity', severities).severity ?? [];
  const { component } = readChoices(input, 'component', components);
  const node = input.text('node');
  const search = input.text('search');
  return {
    ...(severity !== undefined && { severity }),
    ...(component !== undefined && { component: [...component] }),
    ...(node !== undefined && { node: readNode(node) }),
    ...(search !== undefined && { search }),
  };
}

function readNode(text: string): number {
  if (/^[0-5]$/.test(text)) return Number(text);
  throw valueFailure(`--node must be the index of a replica, 0 to 5, not "${text}"`);
}

function print({ output }: Context, input: Input, lines: readonly LogLine[]): void {
  if (lines.length === 0) return;
  const text = lines.map((line) => (input.has('json') ? JSON.stringify(line) : textOf(line)));
  output.result(`${text.join('\n')}\n`);
}

function textOf({ timestamp, severity, component, node, message, attributes }: LogLine): string {
  const place = node === null ? component : `${component}/${node}`;
  const fields = Object.entries(attributes).map(([name, value]) => `${name}=${shown(value)}`);
  return printable([timestamp, severity.padEnd(5), place, message, ...fields].join('  '));
}

const shown = (value: unknown): string =>
  typeof value === 'string' && !value.includes(' ') ? value : JSON.stringify(value);
