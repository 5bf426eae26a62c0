/** Records to JSON and to CSV, straight from their bytes. */
import { outputFields, type Layout } from './layouts.ts';
import { utf8, TextWriter } from './text-writer.ts';

/** What a record's text takes, about. */
const rowRoom = 400;

interface Pattern {
  /** What stands before each field's digits, and behind the last. */
  readonly between: readonly Uint8Array[];
  readonly end: Uint8Array;
}

/** A JSON array. u128 and u64 are strings, as no JSON parser of a browser keeps them exactly; the others are numbers. */
export function rowsToJson(rows: Uint8Array, layout: Layout): Uint8Array {
  const writer = new TextWriter(2 + (rows.length / layout.size) * rowRoom);
  writer.text(utf8('['));
  write(writer, rows, layout, jsonPattern(layout));
  writer.text(utf8(']'));
  return writer.written;
}

/** RFC 4180 with a line of column names. Nothing needs quotes: every value is digits. */
export function rowsToCsv(rows: Uint8Array, layout: Layout): Uint8Array {
  const names = outputFields(layout).map((field) => field.name);
  const writer = new TextWriter(200 + (rows.length / layout.size) * rowRoom);
  writer.text(utf8(`${names.join(',')}\r\n`));
  write(writer, rows, layout, {
    between: names.map((_, index) => utf8(index === 0 ? '' : ',')),
    end: utf8('\r\n'),
  });
  return writer.written;
}

function jsonPattern(layout: Layout): Pattern & { readonly separator: Uint8Array } {
  const fields = outputFields(layout);
  const quote = (index: number) => ((fields[index]?.width ?? 0) >= 8 ? '"' : '');
  return {
    between: fields.map((field, index) => {
      const before = index === 0 ? '{' : `${quote(index - 1)},`;
      return utf8(`${before}"${field.name}":${quote(index)}`);
    }),
    end: utf8(`${quote(fields.length - 1)}}`),
    separator: utf8(','),
  };
}

function write(
  writer: TextWriter,
  rows: Uint8Array,
  layout: Layout,
  pattern: Pattern & { readonly separator?: Uint8Array },
): void {
  const fields = outputFields(layout);
  writer.readsFrom(rows);
  for (let base = 0; base < rows.length; base += layout.size) {
    if (base > 0 && pattern.separator !== undefined) writer.text(pattern.separator);
    fields.forEach((field, index) => {
      writer.text(pattern.between[index] as Uint8Array);
      writer.integer(base + field.offset, field.width);
    });
    writer.text(pattern.end);
  }
}
