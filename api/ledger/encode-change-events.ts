/** Writes change events as JSON, directly from their bytes: an array, or a stream of server-sent events. */
import { ChangeEvent } from '../../engine/wire/records.ts';
import { changeEventTypes } from './change-event-types.ts';
import type { EventFormat } from '../model/change-stream.ts';
import { utf8, TextWriter } from './text-writer.ts';

/** Typical size of an event's text, in bytes. */
const eventRoom = 1_200;
const rowSize = ChangeEvent.words * 4;

type Width = 2 | 4 | 8 | 16;

/** Text that is the same in each event, and the integer that follows it. */
interface Part {
  readonly before: Uint8Array;
  /** In bytes, from the start of the record. */
  readonly offset: number;
  readonly width: Width;
  /** In quotes if a double cannot hold it. */
  readonly portable: boolean;
}

interface Pattern {
  readonly parts: readonly Part[];
  readonly end: Uint8Array;
}

/** `rows`: whole records with known types. u128 and u64 become strings, as in all answers. */
export function changeEventsToJson(rows: Uint8Array): Uint8Array {
  const writer = writerFor(rows);
  writer.text(utf8('['));
  write(writer, rows, jsonPatterns, utf8(','));
  writer.text(utf8(']'));
  return writer.written;
}

/** The timestamp is the event's ID, which a reconnecting reader sends as `Last-Event-ID`. */
export function changeEventsToStream(rows: Uint8Array): Uint8Array {
  const writer = writerFor(rows);
  write(writer, rows, streamPatterns, utf8(''));
  return writer.written;
}

/**
 * The text of each event. `TIGERBEETLE`: as its `amqp` job writes it, where integers are strings from 2^53 on, and numbers below.
 * The texts share one buffer.
 */
export function changeEventTexts(rows: Uint8Array, format: EventFormat): readonly Uint8Array[] {
  const writer = writerFor(rows);
  const patterns = format === 'TIGERBEETLE' ? tigerbeetlePatterns : jsonPatterns;
  const ends: number[] = [];
  for (let base = 0; base < rows.length; base += rowSize) {
    writeEvent(writer, rows, base, patterns);
    ends.push(writer.length);
  }
  const { written } = writer;
  return ends.map((end, index) => written.subarray(ends[index - 1] ?? 0, end));
}

function writerFor(rows: Uint8Array): TextWriter {
  const writer = new TextWriter(2 + (rows.length / rowSize) * eventRoom);
  writer.readsFrom(rows);
  return writer;
}

function write(
  writer: TextWriter,
  rows: Uint8Array,
  patterns: readonly Pattern[],
  separator: Uint8Array,
): void {
  for (let base = 0; base < rows.length; base += rowSize) {
    if (base > 0) writer.text(separator);
    writeEvent(writer, rows, base, patterns);
  }
}

function writeEvent(
  writer: TextWriter,
  rows: Uint8Array,
  base: number,
  patterns: readonly Pattern[],
): void {
  const pattern = patterns[rows[base + ChangeEvent.type * 4] as number] as Pattern;
  for (const { before, offset, width, portable } of pattern.parts) {
    writer.text(before);
    if (portable) writer.portableInteger(base + offset, width);
    else writer.integer(base + offset, width);
  }
  writer.text(pattern.end);
}

type Field = readonly [name: string, offset: number, width: Width];
/** Text, or an integer's place. */
type Token = string | Field;

const wide = (name: string, word: number): Field => [name, word * 4, 16];
const long = (name: string, word: number): Field => [name, word * 4, 8];
const int = (name: string, word: number): Field => [name, word * 4, 4];
/** `code` is the lower half of a word, `flags` the upper one. */
const codeAndFlags = (word: number): readonly Field[] => [
  ['code', word * 4, 2],
  ['flags', word * 4 + 2, 2],
];

const transfer: readonly Field[] = [
  wide('id', ChangeEvent.transferId),
  wide('amount', ChangeEvent.transferAmount),
  wide('pending_id', ChangeEvent.transferPendingId),
  wide('user_data_128', ChangeEvent.transferUserData128),
  long('user_data_64', ChangeEvent.transferUserData64),
  int('user_data_32', ChangeEvent.transferUserData32),
  int('timeout', ChangeEvent.transferTimeout),
  ...codeAndFlags(ChangeEvent.transferCodeFlags),
  long('timestamp', ChangeEvent.transferTimestamp),
];

/** An account in an event has the wire layout, but code and flags are at the reserved field, and the timestamp is elsewhere. */
const account = (word: number, timestamp: number): readonly Field[] => [
  wide('id', word),
  wide('debits_pending', word + 4),
  wide('debits_posted', word + 8),
  wide('credits_pending', word + 12),
  wide('credits_posted', word + 16),
  wide('user_data_128', word + 20),
  long('user_data_64', word + 24),
  int('user_data_32', word + 26),
  ...codeAndFlags(word + 27),
  long('timestamp', timestamp),
];

/** The field with its name. */
type Named = (field: Field) => readonly Token[];

/** Integers of 8 and 16 bytes are strings. */
const quotedByWidth: Named = (field) => {
  const quote = field[2] >= 8 ? '"' : '';
  return [`"${field[0]}":${quote}`, field, quote];
};
/** The integer brings its quotes. */
const quotedByValue: Named = (field) => [`"${field[0]}":`, field];

const timestamp = long('timestamp', ChangeEvent.timestamp);

function jsonOf(type: string, named: Named = quotedByWidth): readonly Token[] {
  const joined = (fields: readonly Field[]): readonly Token[] =>
    fields.flatMap((field, index) => [index === 0 ? '' : ',', ...named(field)]);
  return [
    '{',
    ...named(timestamp),
    `,"type":"${type}",`,
    ...named(int('ledger', ChangeEvent.ledger)),
    ',"transfer":{',
    ...joined(transfer),
    '},"debit_account":{',
    ...joined(account(ChangeEvent.debitAccount, ChangeEvent.debitAccountTimestamp)),
    '},"credit_account":{',
    ...joined(account(ChangeEvent.creditAccount, ChangeEvent.creditAccountTimestamp)),
    '}}',
  ];
}

const jsonPatterns = changeEventTypes.map((type) => patternOf(jsonOf(type)));
const tigerbeetlePatterns = changeEventTypes.map((type) =>
  patternOf(jsonOf(type, quotedByValue), true),
);
const streamPatterns = changeEventTypes.map((type) =>
  patternOf(['id: ', timestamp, '\nevent: change\ndata: ', ...jsonOf(type), '\n\n']),
);

/** `portable`: integers bring their quotes. */
function patternOf(tokens: readonly Token[], portable = false): Pattern {
  const parts: Part[] = [];
  let text = '';
  for (const token of tokens) {
    if (typeof token === 'string') text += token;
    else {
      const [, offset, width] = token;
      parts.push({ before: utf8(text), offset, width, portable });
      text = '';
    }
  }
  return { parts, end: utf8(text) };
}
