/** Writes records as JSON or CSV, directly from their bytes. */
import { outputFields, type Field, type Layout } from './layouts.ts';
import { utf8, TextWriter } from './text-writer.ts';

/** Typical size of a record's text, in bytes. */
const rowRoom = 400;

const opening = utf8('[');
const closing = utf8(']');

interface Pattern {
  readonly fields: readonly Field[];
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
  writer.text(opening);
  write(writer, rows, layout, jsonPatternOf(layout));
  writer.text(closing);
  return writer.written;
}

/** Writes CSV (RFC 4180) with a line of column names. Nothing needs quotes, because all values are digits. */
export function rowsToCsv(rows: Uint8Array, layout: Layout): Uint8Array {
  const fields = outputFields(layout);
  const names = fields.map((field) => field.name);
  const writer = new TextWriter(200 + (rows.length / layout.size) * rowRoom);
  writer.text(utf8(`${names.join(',')}\r\n`));
  write(writer, rows, layout, {
    fields,
    between: names.map((_, index) => utf8(index === 0 ? '' : ',')),
    end: utf8('\r\n'),
  });
  return writer.written;
}

interface JsonPattern extends Pattern {
  readonly separator: Uint8Array;
}

/** Made once for each of the few layouts: it costs more than a record. */
const jsonPatterns = new Map<Layout, JsonPattern>();

function jsonPatternOf(layout: Layout): JsonPattern {
  let pattern = jsonPatterns.get(layout);
  if (pattern === undefined) {
    pattern = newJsonPattern(layout);
    jsonPatterns.set(layout, pattern);
  }
  return pattern;
}

function newJsonPattern(layout: Layout): JsonPattern {
  const fields = outputFields(layout);
  const quote = (index: number) => ((fields[index]?.width ?? 0) >= 8 ? '"' : '');
  return {
    fields,
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
  { fields, between, end, separator }: Pattern & Partial<JsonPattern>,
): void {
  writer.readsFrom(rows);
  for (let base = 0; base < rows.length; base += layout.size) {
    if (base > 0 && separator !== undefined) writer.text(separator);
    fields.forEach((field, index) => {
      writer.text(between[index] as Uint8Array);
      writer.integer(base + field.offset, field.width);
    });
    writer.text(end);
  }
}
