/** The status as Prometheus reads it (text format 0.0.4). Every series is there from the start. */
import type { EngineStatus } from '../../domain/engine-status.ts';
import { Operation } from '../wire/operations.ts';

export interface Counters {
  readonly requests: ReadonlyMap<number, number>;
  readonly refused: number;
  readonly streamErrors: ReadonlyMap<string, number>;
}

const streamErrors = [
  'bad_header_checksum',
  'bad_size',
  'bad_body_checksum',
  'wrong_cluster',
  'unknown_command',
];

export function metricsText(status: EngineStatus, counters: Counters): string {
  const lines: string[] = [];
  const metric = (
    name: string,
    type: 'gauge' | 'counter',
    help: string,
    values: readonly [string, number][],
  ) => {
    lines.push(
      `# HELP ledgerhouse_engine_${name} ${help}`,
      `# TYPE ledgerhouse_engine_${name} ${type}`,
    );
    for (const [labels, value] of values)
      lines.push(`ledgerhouse_engine_${name}${labels} ${value}`);
  };
  const gauge = (name: string, help: string, value: number) =>
    metric(name, 'gauge', help, [['', value]]);
  gauge('op', 'Last executed operation.', status.op);
  gauge('commit', 'Last committed operation.', status.commit);
  gauge('checkpoint_op', 'Operation of the last durable checkpoint.', status.checkpoint);
  gauge('view', 'View of the cluster.', status.view);
  gauge('accepts_writes', '1 when create requests are taken.', status.acceptsWrites ? 1 : 0);
  gauge('sessions', 'Client sessions, of 64.', status.sessions ?? 0);
  gauge('connections', 'Client connections.', status.connections);
  gauge('accounts', 'Accounts.', status.accounts);
  gauge('transfers', 'Transfers.', status.transfers);
  gauge('memory_used_bytes', 'Memory that the ledger takes.', status.memory.usedBytes);
  gauge('memory_limit_bytes', 'Memory that the ledger may take.', status.memory.limitBytes);
  gauge('storage_used_bytes', 'Bytes of the data file.', status.storage.usedBytes);
  gauge('storage_limit_bytes', 'Bytes that the data file may grow to.', status.storage.limitBytes);
  metric('requests_total', 'counter', 'Requests executed.', operationCounts(counters.requests));
  metric(
    'requests_refused_total',
    'counter',
    'Create requests refused because a limit was reached.',
    [['', counters.refused]],
  );
  metric(
    'stream_errors_total',
    'counter',
    'Connections closed for what they sent.',
    streamErrors.map((error) => [`{error="${error}"}`, counters.streamErrors.get(error) ?? 0]),
  );
  return `${lines.join('\n')}\n`;
}

function operationCounts(requests: ReadonlyMap<number, number>): [string, number][] {
  return Object.entries(Operation)
    .filter(([name]) => name !== 'pulse')
    .map(([name, code]) => [`{operation="${snake(name)}"}`, requests.get(code) ?? 0]);
}

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
