/** Writes records as JSON or CSV, directly from their bytes. */
import { outputFields, type Layout } from './layouts.ts';
import { utf8, TextWriter } from './text-writer.ts';

/** Typical size of a record's text, in bytes. */
const rowRoom = 400;

interface Pattern {
  /** Bytes before the digits of each field; `end` follows the last field. */
  readonly between: readonly Uint8Array[];
  readonly end: Uint8Array;
}

/**
 * Writes a JSON array. u128 and u64 become strings, because no browser's JSON parser keeps them exactly; the others become
 * numbers.
 */
export function rowsToJson(rows: Uint8Array, layout: Layout): Uint8Array {
  const writer = new TextWriter(2 + (rows.length / layout.size) * rowRoom);
  writer.text(utf8('['));
  write(writer, rows, layout, jsonPattern(layout));
  writer.text(utf8(']'));
  return writer.written;
}

/** Writes CSV (RFC 4180) with a line of column names. Nothing needs quotes, because all values are digits. */
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
