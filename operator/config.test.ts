import { expect, test } from '@jest/globals';
import { readConfig } from './config.ts';

test('settings that are absent have defaults for development', () => {
  expect(readConfig({})).toMatchObject({
    namespace: 'ledgerhouse-system',
    listen: { host: '127.0.0.1', port: 8080 },
    concurrency: 10,
    logLevel: 'info',
    tigerbeetleSeccomp: 'localhost',
    openshift: 'detect',
    watchNamespaces: [],
  });
});

test.each([
  [
    { LEDGERHOUSE_OPERATOR_LISTEN: '8080' },
    'LEDGERHOUSE_OPERATOR_LISTEN must be HOST:PORT, not 8080',
  ],
  [{ LEDGERHOUSE_OPERATOR_LISTEN: ':70000' }, 'must be HOST:PORT'],
  [{ LEDGERHOUSE_OPERATOR_CONCURRENCY: '0' }, 'must be a number from 1 to 999, not 0'],
  [{ LEDGERHOUSE_OPERATOR_LOG_LEVEL: 'loud' }, 'must be debug, info, warn or error, not loud'],
  [{ LEDGERHOUSE_OPERATOR_TIGERBEETLE_SECCOMP: 'off' }, 'must be localhost or unconfined, not off'],
  [{ LEDGERHOUSE_OPERATOR_OPENSHIFT: 'maybe' }, 'must be detect, yes, no, not maybe'],
  [
    { LEDGERHOUSE_OPERATOR_WATCH_NAMESPACES: 'a, b' },
    'must be a comma-separated list of namespaces',
  ],
  [{ LEDGERHOUSE_OPERATOR_NAMESPASE: 'x' }, 'no setting LEDGERHOUSE_OPERATOR_NAMESPASE; there are'],
])('%p is refused with words', (environment, words) => {
  expect(() => readConfig(environment)).toThrow(words);
});

test('the namespaces to look after are each named once', () => {
  const { watchNamespaces } = readConfig({ LEDGERHOUSE_OPERATOR_WATCH_NAMESPACES: 'b,a,b' });
  expect(watchNamespaces).toEqual(['b', 'a']);
});
