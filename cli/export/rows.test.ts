import { describe, expect, test } from '@jest/globals';
import { assert, constantFrom, property, uint8Array } from 'fast-check';
import { decodeRequest } from '../../api/ledger/decode.ts';
import { encodeReply } from '../../api/ledger/encode.ts';
import { account, outputFields, transfer, type Layout } from '../../api/ledger/layouts.ts';
import { ledgerOperations as served } from '../../api/ledger/operations.ts';
import { CliFailure } from '../failure.ts';
import { Answer } from '../http/answer.ts';
import { ledgerOperations } from '../ledger/operations.ts';
import { rowFormats } from './rows.ts';

const kinds = { query_accounts: account, query_transfers: transfer } as const;
type Kind = keyof typeof kinds;
const operationOf = (kind: Kind) => {
  const operation = ledgerOperations.find(({ name }) => name === kind);
  if (operation === undefined) throw new Error(`no ${kind}`);
  return operation;
};

/** The service's own answer with these records. */
function answerOf(kind: Kind, format: 'json' | 'csv', records: Uint8Array): Answer {
  const decoded = decodeRequest(served[kind], new TextEncoder().encode('{"limit":8189,"flags":0}'));
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.problem));
  const reply = encodeReply(decoded.request, records, { format, execution: () => ({}) });
  if (reply === undefined) throw new Error('no answer');
  return new Answer(200, new Headers({ 'content-type': reply.contentType }), reply.body);
}

/** The records' integers, computed from their bytes in another way than the service does. */
function integersOf(records: Uint8Array, layout: Layout): readonly (readonly string[])[] {
  const bytes = Buffer.from(records);
  const integer = (offset: number, width: number) =>
    BigInt(
      `0x${Buffer.from(bytes.subarray(offset, offset + width))
        .reverse()
        .toString('hex')}`,
    );
  return Array.from({ length: records.length / layout.size }, (_, row) =>
    outputFields(layout).map(({ offset, width }) =>
      String(integer(row * layout.size + offset, width)),
    ),
  );
}

const anyRecords = uint8Array({ minLength: 0, maxLength: 5 * 128 }).map((bytes) =>
  bytes.subarray(0, bytes.length - (bytes.length % 128)),
);
const anyKind = constantFrom<Kind>('query_accounts', 'query_transfers');

describe('every integer of every column keeps all its digits', () => {
  test('in NDJSON', () => {
    assert(
      property(anyKind, anyRecords, (kind, records) => {
        const { ndjson } = rowFormats;
        const { header, rows } = ndjson.readAnswer(
          answerOf(kind, 'json', records),
          operationOf(kind),
        );
        expect(header).toBe('');
        const names = outputFields(kinds[kind]).map(({ name }) => name);
        const wide = outputFields(kinds[kind]).map(({ width }) => width >= 8);
        expect(rows.map(({ line }) => line)).toEqual(
          integersOf(records, kinds[kind]).map((values) => {
            const fields = values.map((value, index) => {
              const shown = wide[index] === true ? `"${value}"` : value;
              return `"${names[index]}":${shown}`;
            });
            return `{${fields.join(',')}}`;
          }),
        );
        expect(rows.map(({ line }) => ndjson.lineReader(header)(line))).toEqual(rows);
      }),
    );
  });

  test('in CSV, with its header also where there are no rows', () => {
    assert(
      property(anyKind, anyRecords, (kind, records) => {
        const { csv } = rowFormats;
        const { header, rows } = csv.readAnswer(answerOf(kind, 'csv', records), operationOf(kind));
        const names = outputFields(kinds[kind]).map(({ name }) => name);
        expect(header).toBe(`${names.join(',')}\r\n`);
        const integers = integersOf(records, kinds[kind]);
        expect(rows.map(({ line }) => line)).toEqual(integers.map((values) => values.join(',')));
        expect(rows.map(({ id, timestamp }) => [id, String(timestamp)])).toEqual(
          integers.map((values) => [values[0], values.at(-1)]),
        );
        expect(rows.map(({ line }) => csv.lineReader(header)(line))).toEqual(rows);
      }),
    );
  });
});

test('a line that was cut, or is of another format or another table, is no row', () => {
  const records = new Uint8Array(128).fill(255);
  const { csv, ndjson } = rowFormats;
  const operation = operationOf('query_transfers');
  const comma = csv.readAnswer(answerOf('query_transfers', 'csv', records), operation);
  const json = ndjson.readAnswer(answerOf('query_transfers', 'json', records), operation);
  const [commaLine = '', jsonLine = ''] = [comma.rows[0]?.line, json.rows[0]?.line];
  const readComma = csv.lineReader(comma.header);
  for (const line of [jsonLine, `${commaLine},1`, commaLine.slice(0, commaLine.lastIndexOf(','))]) {
    expect(readComma(line)).toBeUndefined();
  }
  const readJson = ndjson.lineReader('');
  for (const line of [commaLine, '', 'null', '1', '{}', '{"id":"1"}', jsonLine.slice(0, -1)]) {
    expect(readJson(line)).toBeUndefined();
  }
});

test.each([
  ['csv', 'text/html', '<html>'],
  ['csv', 'text/csv', 'id,timestamp\r\n1,2\r\n3'],
  ['csv', 'text/csv', 'id,timestamp\r\n1,=cmd()\r\n'],
  ['csv', 'text/csv', ''],
  ['ndjson', 'application/json', '{"result":[{"id":1,"timestamp":"2"}]}'],
  ['ndjson', 'application/json', '{"result":[{"id":"1"}]}'],
] as const)('an answer of somebody else is refused: %s, %s %j', (format, type, body) => {
  const answer = new Answer(200, new Headers({ 'content-type': type }), Buffer.from(body));
  expect(() => rowFormats[format].readAnswer(answer, operationOf('query_transfers'))).toThrow(
    CliFailure,
  );
});
