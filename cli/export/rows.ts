/** Rows of a ledger as lines: how the service answers with them, and how an exported file holds them. */
import { notTheApi, type Answer } from '../http/answer.ts';
import type { LedgerOperation } from '../ledger/operations.ts';
import { readLedgerReply, type Row as Fields } from '../ledger/reply.ts';
import { printable } from '../output/printable.ts';

/** Identity of a row in a ledger, and the line that holds it, without the line's end. */
export interface Row {
  readonly id: string;
  readonly timestamp: bigint;
  readonly line: string;
}

export interface Rows {
  /** Line of column names, with its end; empty in a format that has none. */
  readonly header: string;
  readonly rows: readonly Row[];
}

type LineReader = (line: string) => Row | undefined;

export interface RowFormat {
  readonly accept: string;
  readonly lineEnd: '\n' | '\r\n';
  readonly hasHeader: boolean;
  readAnswer(answer: Answer, operation: LedgerOperation): Rows;
  /** Reads lines of a file with this header. Lines that are no row, and all lines below a header of something else, give `undefined`. */
  lineReader(header: string): LineReader;
}

/** Newline-delimited JSON: each line is a row as the HTTP API writes it. */
const ndjson: RowFormat = {
  accept: 'application/json',
  lineEnd: '\n',
  hasHeader: false,
  readAnswer: (answer, operation) => ({
    header: '',
    rows: readLedgerReply(answer, operation).result.map((fields) => {
      const row = rowOf(fields, JSON.stringify(fields));
      if (row === undefined) throw notRows(answer, operation);
      return row;
    }),
  }),
  lineReader: () => (line) => {
    try {
      const fields: unknown = JSON.parse(line);
      return typeof fields === 'object' && fields !== null
        ? rowOf(fields as Fields, line)
        : undefined;
    } catch {
      return undefined;
    }
  },
};

/** CSV by RFC 4180, as the HTTP API writes it. No field needs quotes, because all of them are digits. */
const csv: RowFormat = {
  accept: 'text/csv, application/problem+json',
  lineEnd: '\r\n',
  hasHeader: true,
  readAnswer: (answer, operation) => {
    const type = answer.headers.get('content-type') ?? 'nothing';
    if (!type.startsWith('text/csv')) {
      throw notTheApi(answer.status, `${printable(type)}, not CSV`);
    }
    const [names = '', ...lines] = answer.text.split('\r\n');
    // The last line has an end, too.
    if (lines.pop() !== '') throw notRows(answer, operation);
    const header = `${names}\r\n`;
    const read = csv.lineReader(header);
    const rows = lines.map(read);
    if (!isNames(names) || !rows.every((row) => row !== undefined)) {
      throw notRows(answer, operation);
    }
    return { header, rows };
  },
  lineReader: (header) => {
    const names = header.trimEnd().split(',');
    const [id, timestamp] = [names.indexOf('id'), names.indexOf('timestamp')];
    return (line) => {
      const values = line.split(',');
      const isRow = values.length === names.length && values.every((value) => digits.test(value));
      return isRow ? rowOf({ id: values[id], timestamp: values[timestamp] }, line) : undefined;
    };
  },
};

export const rowFormats = { ndjson, csv } as const;

const digits = /^\d{1,39}$/;
const isNames = (line: string): boolean => /^[a-z]\w*(,[a-z]\w*)*$/.test(line);

function rowOf({ id, timestamp }: Fields, line: string): Row | undefined {
  const isRow =
    typeof id === 'string' &&
    digits.test(id) &&
    typeof timestamp === 'string' &&
    digits.test(timestamp);
  return isRow ? { id, timestamp: BigInt(timestamp), line } : undefined;
}

const notRows = ({ status }: Answer, { name }: LedgerOperation) =>
  notTheApi(status, `something that is not rows of ${name}`);
