/** Text of the ledger route's answer, for people. */
import type { Output } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import { table, type Column } from '../output/table.ts';
import { describeFlags, flagNames, recordFlags } from './flags.ts';
import type { LedgerOperation } from './operations.ts';
import { isFailed, usesUpItsId, type LedgerReply, type Row } from './reply.ts';

interface TextOptions {
  readonly output: Output;
  /** Print the rows only. */
  readonly quiet: boolean;
}

/** Two lines about the execution, the URL of the documentation, and the rows, failed ones first. */
export function ledgerText(
  operation: LedgerOperation,
  reply: LedgerReply,
  { output, quiet }: TextOptions,
): string {
  const rows = [...reply.result.filter(isFailed), ...reply.result.filter((row) => !isFailed(row))];
  const missing = reply.missing ?? [];
  const body = [
    rows.length === 0 ? (quiet ? '' : '(no rows)\n') : rowsText(operation, rows, output),
    missing.length === 0 ? '' : `missing: ${missing.map(printable).join(', ')}\n`,
  ].join('');
  return quiet ? body : `${header(operation, reply, output)}\n${body}`;
}

function header(operation: LedgerOperation, reply: LedgerReply, output: Output): string {
  const { execution = {}, documentationUrl, summary } = reply;
  const text = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? printable(String(value)) : undefined;
  const labelled = (label: string, value: unknown) => {
    const shown = text(value);
    return shown === undefined ? undefined : `${label} ${shown}`;
  };
  const duration = text(execution['durationMs']);
  const counts =
    summary === undefined
      ? undefined
      : Object.entries(summary)
          .map(([name, count]) => `${text(count) ?? '?'} ${printable(name)}`)
          .join(', ');
  const count = reply.result.length;
  const lines = [
    [
      output.emphasize(
        'strong',
        reply.operation === undefined ? operation.name : printable(reply.operation),
      ),
      duration === undefined ? undefined : `${duration} ms`,
      counts ?? `${count} ${count === 1 ? 'row' : 'rows'}`,
    ],
    [
      labelled('database', execution['databaseId']),
      labelled('cluster', execution['clusterId']),
      labelled('engine', execution['engineVersion']),
      labelled('request', execution['requestId']),
      text(execution['executedAt']),
    ],
    [text(documentationUrl)],
  ];
  return lines
    .map((parts) => parts.filter((part) => part !== undefined).join(' · '))
    .filter((line) => line !== '')
    .map((line) => `${line}\n`)
    .join('');
}

/** Rows as a table. Columns that are empty in every row are left out and listed, because ledger rows have many. */
function rowsText(operation: LedgerOperation, rows: readonly Row[], output: Output): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (name) => name !== documentation,
  );
  const isNothing = (name: string) =>
    name !== 'index' && rows.every((row) => ['0', 0, undefined].includes(row[name] as string));
  const empty = rows.length === 1 && names.length < 6 ? [] : names.filter(isNothing);
  const columns = names
    .filter((name) => !empty.includes(name))
    .map((name) => columnOf(name, operation, output));
  const note =
    empty.length === 0
      ? ''
      : `${output.emphasize('dim', `0 in every row: ${printable(empty.join(', '))}`)}\n`;
  return `${table(columns, rows)}${note}${explanations(rows)}`;
}

/** URLs that explain the statuses, each once: as a column they would be wider than all the others together. */
function explanations(rows: readonly Row[]): string {
  const urls = rows.map((row) => row[documentation]).filter((url) => typeof url === 'string');
  return [...new Set(urls)].map((url) => `${printable(url)}\n`).join('');
}

const documentation = 'documentationUrl';

function columnOf(name: string, operation: LedgerOperation, output: Output): Column<Row> {
  const flags = recordFlags[operation.name];
  return {
    title: printable(name).toUpperCase(),
    align: isAmount(name) ? 'right' : 'left',
    cell: (row) => {
      const value = row[name];
      if (name === 'flags' && typeof value === 'number' && flags !== undefined) {
        return describeFlags(value, flags);
      }
      return typeof value === 'string' || typeof value === 'number'
        ? String(value)
        : value === undefined
          ? ''
          : JSON.stringify(value);
    },
    ...(name === 'status'
      ? {
          paint: (text: string, row: Row) => (isFailed(row) ? output.emphasize('bad', text) : text),
        }
      : {}),
  };
}

const isAmount = (name: string): boolean => /^(amount|index|(debits|credits)_)/.test(name);

/** Notes about the answer, such as warnings. */
export function ledgerNotes(operation: LedgerOperation, reply: LedgerReply): readonly string[] {
  const notes = (reply.warnings ?? []).map(
    ({ code, detail }) => `warning: ${printable(detail ?? code ?? 'unknown')}`,
  );
  const { page } = reply;
  if (page?.hasMore === true) notes.push(moreRows(operation, page.next ?? null));
  if (operation.name === 'create_transfers' && reply.result.some(usesUpItsId)) {
    notes.push(
      'a transfer that failed because funds or an account were missing has used up its ID: try again with a new one',
    );
  }
  return notes;
}

/** `next`: the filter of the next page, or its JSON. */
export function moreRows(operation: LedgerOperation, next: Row | string | null): string {
  const filter = typeof next === 'string' ? parsed(next) : (next ?? {});
  return `more rows follow${nextPage(operation, filter)}`;
}

function parsed(json: string): Row {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Row) : {};
  } catch {
    return {};
  }
}

function nextPage({ name: operation }: LedgerOperation, next: Row): string {
  const reversed = flagNames[operation]['reversed'] ?? 0;
  // If both bounds are set, the direction tells which of them moves.
  const isReversed = (Number(next['flags']) & reversed) !== 0;
  const name = isReversed ? 'timestamp_max' : 'timestamp_min';
  const value = next[name];
  if (typeof value !== 'string') return '';
  return `; to see them, repeat the command with --${name.replace('_', '-')} ${printable(value)}`;
}
