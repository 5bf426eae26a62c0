/** Commands for the current and past figures of a database. */
import type { Command } from '../command.ts';

const handlers = () => import('../handlers/metrics.ts');
const database = { name: 'database' } as const;

export const metrics: Command = {
  kind: 'command',
  name: 'metrics',
  summary: 'Show the newest figures of a database, or series over time',
  description:
    'Without --series: load, memory, storage, and when they will be full. With --series: each line with its least, mean, greatest and last value; --json has all points. A blank in a line is a gap.',
  arguments: [database],
  options: [
    {
      name: 'series',
      value: 'name',
      repeatable: true,
      summary: 'a series, such as transfers_per_second; repeatable',
    },
    { name: 'since', value: 'duration', summary: 'how far back: 15m, 24h (1h by default)' },
    { name: 'fn', value: 'function', summary: 'avg, min, max, last, sum, rate, p50, p95 or p99' },
    {
      name: 'filter',
      value: 'label=value',
      repeatable: true,
      summary: 'only lines with this label, such as operation=create_transfers; repeatable',
    },
    { name: 'list', summary: 'list the available series' },
    { name: 'marks', summary: 'list changes, failovers, restarts and upgrades instead' },
    {
      name: 'requests',
      summary: 'list slow and failed requests over HTTP instead, the newest 100',
    },
  ],
  examples: [
    { command: 'metrics payments-prod' },
    { command: 'metrics payments-prod --series request_seconds --fn p99 --since 24h' },
    { command: 'metrics payments-prod --marks --since 168h' },
    { command: 'metrics payments-prod --requests --since 15m' },
  ],
  load: async () => (await handlers()).showMetrics,
};

export const top: Command = {
  kind: 'command',
  name: 'top',
  summary: 'Show the newest figures of a database repeatedly',
  description:
    'In a terminal the new figures replace the old ones, until Ctrl-C; elsewhere they follow each other. With --json each output is one answer of the API.',
  arguments: [database],
  options: [
    { name: 'every', value: 'duration', summary: 'time between two outputs (5s by default)' },
    { name: 'once', summary: 'print it once and end' },
  ],
  examples: [
    { command: 'top payments-prod' },
    { command: 'top payments-prod --every 2s' },
    { command: 'top payments-prod --once --json' },
  ],
  load: async () => (await import('../handlers/top.ts')).showTop,
};
