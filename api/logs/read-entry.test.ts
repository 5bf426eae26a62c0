import { expect, test } from '@jest/globals';
import { readEntry } from './read-entry.ts';

const entry = (level: number, message: string, attributes: object = {}) => ({
  level,
  message,
  attributes: JSON.stringify(attributes),
});

test('lines of pino keep their fields, but not what is shown elsewhere', () => {
  const line = '{"level":40,"time":1795420800000,"remote":"10.0.0.1","msg":"connection closed"}';
  expect(readEntry('engine', line)).toEqual(entry(40, 'connection closed', { remote: '10.0.0.1' }));
});

test('an error has its type and message, without its stack', () => {
  const error = { type: 'Error', message: 'no space', stack: 'Error: no space\n    at x' };
  const line = JSON.stringify({ level: 60, error, msg: 'A write to the data file failed.' });
  expect(readEntry('engine', line)).toEqual(
    entry(60, 'A write to the data file failed.', {
      error: { type: 'Error', message: 'no space' },
    }),
  );
});

test('lines of etcd', () => {
  const line =
    '{"level":"warn","ts":"2026-11-23T08:00:00Z","caller":"x.go:1","msg":"slow","took":"1s"}';
  expect(readEntry('etcd', line)).toEqual(entry(40, 'slow', { took: '1s' }));
});

test.each([
  [
    'info(main): 0: listening on 0.0.0.0:3001',
    entry(30, '0: listening on 0.0.0.0:3001', { scope: 'main' }),
  ],
  ['2026-11-23 08:00:00.000Z warning(vsr): 1: late', entry(40, '1: late', { scope: 'vsr' })],
  ['error: file not found', entry(50, 'file not found')],
  ['thread 12 panic: unreachable', entry(30, 'thread 12 panic: unreachable')],
])('lines of TigerBeetle: %s', (text, expected) => {
  expect(readEntry('engine', text)).toEqual(expected);
});

test.each(['', 'ledger-agent: no data file', '{ not json', '{"level":30}', '[1]'])(
  'the text itself, where it is nothing else: “%s”',
  (text) => expect(readEntry('agent', text)).toEqual(entry(30, text)),
);

test('a character that PostgreSQL cannot hold is replaced', () => {
  const { message, attributes } = readEntry(
    'engine',
    String.raw`{"level":30,"msg":"a\u0000b\ud800","key":"\u0000\ud800"}`,
  );
  expect(message).toBe('a\uFFFDb\uFFFD');
  expect(attributes).toBe(String.raw`{"key":"\u0000\ud800"}`);
});

test('long messages and attributes are bounded, and say so', () => {
  const long = 'x'.repeat(9_000);
  expect(readEntry('engine', long, 1_000).message).toMatch(/^x{4000} … \(6000 more\)$/);
  const { attributes } = readEntry('engine', JSON.stringify({ level: 30, msg: 'm', long }));
  expect(attributes).toBe('{"leftOut":"attributes of 9011 characters"}');
});

test('a secret is masked before a text is cut, so that no begin of it stays', () => {
  const text = `${'x'.repeat(3_990)} password=${'z'.repeat(100)}`;
  expect(readEntry('engine', text).message).not.toContain('zz');
});

test.each(['constructor', '__proto__', 'toString', 'no such level'])(
  'a severity named "%s" is that of any other unknown word',
  (level) => {
    expect(readEntry('engine', `{"level":"${level}","msg":"x"}`)).toEqual(entry(30, 'x'));
  },
);

test('colours of a terminal are left out, and hide no secret', () => {
  const line = '\u001b[32mpassword\u001b[0m=hunter2 \u001b]8;;http://x\u0007link\u001b[1;31m red';
  expect(readEntry('engine', line)).toEqual(entry(30, 'password=••• link red'));
  const fields = { msg: 'to\u001b[0mken: hunter2', 'pass\u001b[0mword': 'hunter2' };
  expect(readEntry('engine', JSON.stringify(fields))).toEqual(
    entry(30, 'token: •••', { password: '•••' }),
  );
});
