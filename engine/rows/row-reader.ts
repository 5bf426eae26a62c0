/** Reads accounts or transfers of a CSV or NDJSON file as records, and tells what is wrong line by line. */
import {
  lineCut,
  lineTooLong,
  notAnObject,
  shown,
  type RowFault,
} from '../../domain/import-files/row-faults.ts';
import { FORM_BYTES, recogniseForm, type RowForm } from '../../domain/import-files/row-form.ts';
import { columnTwice, headerFaults, UnknownColumns } from '../../domain/import-files/row-header.ts';
import { csvFields, jsonFields } from '../../domain/import-files/row-text.ts';
import { RECORD_SIZE, type Column, type RowKind } from './columns.ts';
import { readLines, type Line } from './lines.ts';
import { readValue } from './read-value.ts';
import type { LineFault } from './report.ts';

/** A file with rows of one kind. */
export interface RowFile {
  /** Name of the file as the user gave it. */
  readonly name: string;
  readonly kind: RowKind;
  /** Opens it at its beginning. It is read several times. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** Rows that were read together. */
export interface Rows {
  readonly records: Uint8Array;
  /** Lines of the records. */
  readonly lines: readonly number[];
}

type FaultOf = (fault: RowFault) => void;

/** Yields the rows that have no fault, in order. After a fault of the file as a whole, or of its header, there are none. */
export async function* readRows(
  { name: file, kind, open }: RowFile,
  add: (fault: LineFault) => void,
): AsyncGenerator<Rows> {
  const chunks = open()[Symbol.asyncIterator]();
  try {
    const onFault: FaultOf = (fault) => add({ file, ...fault });
    const head = await headOf(chunks);
    const found = recogniseForm(head.subarray(0, FORM_BYTES));
    if ('code' in found) {
      onFault({ line: 0, ...found });
      return;
    }
    const reader = new RowReader(kind, found.form, onFault);
    for await (const lines of readLines(withHead(head.subarray(found.skip), chunks))) {
      const rows = reader.read(lines);
      if (reader.isRefused) return;
      if (rows.lines.length > 0) yield rows;
    }
  } finally {
    await chunks.return?.();
  }
}

async function headOf(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let bytes = 0; bytes < FORM_BYTES;) {
    const next = await chunks.next();
    if (next.done === true) break;
    parts.push(next.value);
    bytes += next.value.length;
  }
  return Buffer.concat(parts);
}

async function* withHead(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield head;
  for (let next; (next = await rest.next()).done !== true;) yield next.value;
}

class RowReader {
  readonly #kind: RowKind;
  readonly #form: RowForm;
  readonly #onFault: FaultOf;
  readonly #byName: ReadonlyMap<string, Column>;
  /** Columns of a CSV file, in its order. */
  #header: readonly Column[] | undefined;
  isRefused = false;
  readonly #unknown: UnknownColumns;

  constructor(kind: RowKind, form: RowForm, onFault: FaultOf) {
    this.#kind = kind;
    this.#form = form;
    this.#onFault = onFault;
    this.#unknown = new UnknownColumns(kind.name);
    this.#byName = new Map(kind.columns.map((column) => [column.name, column]));
  }

  read(lines: readonly Line[]): Rows {
    const records = new Uint8Array(lines.length * RECORD_SIZE);
    const view = new DataView(records.buffer);
    const found: number[] = [];
    for (const line of lines) {
      const at = found.length * RECORD_SIZE;
      if (this.#readLine(line, view, at)) found.push(line.number);
      else records.fill(0, at, at + RECORD_SIZE);
      if (this.isRefused) break;
    }
    return { records: records.subarray(0, found.length * RECORD_SIZE), lines: found };
  }

  /** Returns whether the line is a row, which is in the record then. */
  #readLine({ number: line, text, isOpen }: Line, view: DataView, at: number): boolean {
    if (text === undefined) {
      this.#onFault(lineTooLong(line));
      // Without its first line, a CSV file has no columns.
      this.isRefused = this.#form === 'csv' && this.#header === undefined;
      return false;
    }
    // Digits that were cut off leave a smaller number, which nothing else tells. The end of an object or a quote does.
    if (isOpen && this.#form === 'csv' && !text.endsWith('"')) {
      this.#onFault(lineCut(line));
      return false;
    }
    if (this.#form === 'ndjson') return this.#readJson(line, text, view, at);
    if (this.#header !== undefined) return this.#readCsv(line, text, this.#header, view, at);
    this.#header = this.#readHeader(line, text);
    this.isRefused = this.#header === undefined;
    return false;
  }

  #readCsv(
    line: number,
    text: string,
    header: readonly Column[],
    view: DataView,
    at: number,
  ): boolean {
    const fields = csvFields(text);
    if (fields === undefined) {
      const detail = `${shown(text)} is not a line of CSV: its quotes are wrong.`;
      this.#onFault({ line, code: 'line_malformed', detail });
      return false;
    }
    if (fields.length !== header.length) {
      const detail = `It has ${fields.length} fields, the header ${header.length}. Separate fields with commas; no field has a comma or a line break.`;
      this.#onFault({ line, code: 'fields_wrong', detail });
      return false;
    }
    let isRow = true;
    for (let i = 0; i < fields.length; i += 1)
      if (!this.#readField(line, fields[i]!, header[i]!, view, at)) isRow = false;
    return isRow;
  }

  #readJson(line: number, text: string, view: DataView, at: number): boolean {
    const pairs = jsonFields(text);
    if (pairs === undefined) {
      this.#onFault(notAnObject(line, text));
      return false;
    }
    let isRow = true;
    const given = new Set<string>();
    for (const [name, value] of pairs) {
      const column = this.#byName.get(name);
      if (column === undefined || given.has(name)) {
        this.#onFault(
          column === undefined ? this.#unknown.faultOf(line, name) : columnTwice(line, name),
        );
        isRow = false;
      } else if (!this.#readField(line, value, column, view, at)) isRow = false;
      given.add(name);
    }
    for (const { name, isRequired } of this.#kind.columns) {
      if (!isRequired || given.has(name)) continue;
      this.#onFault({
        line,
        field: name,
        code: 'value_missing',
        detail: 'It is missing. Every row needs one.',
      });
      isRow = false;
    }
    return isRow;
  }

  #readField(line: number, text: string, column: Column, view: DataView, at: number): boolean {
    const wrong = readValue(text, column, view, at);
    if (wrong === undefined) return true;
    this.#onFault({ line, field: column.name, ...wrong });
    return false;
  }

  #readHeader(line: number, text: string): readonly Column[] | undefined {
    const names = (csvFields(text) ?? [text]).map((name) => name.trim());
    const faults = headerFaults(line, names, this.#kind.name);
    for (const fault of faults) this.#onFault(fault);
    return faults.length === 0 ? names.map((name) => this.#byName.get(name)!) : undefined;
  }
}
