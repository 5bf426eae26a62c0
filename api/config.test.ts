import { expect, test } from '@jest/globals';
import { readConfig, redacted } from './config.ts';

// A file that is there, and long enough for a key.
const needed = {
  LEDGERHOUSE_API_DATABASE_URL: 'postgres://u:hush@db:5432/x',
  LEDGERHOUSE_API_SIGNING_KEY_FILE: 'LICENSE',
};

test('what is not set has its default, and nothing secret is logged', () => {
  const config = readConfig(needed);
  expect(config).toMatchObject({
    listen: { host: '127.0.0.1', port: 8080 },
    healthListen: { host: '127.0.0.1', port: 8081 },
    limits: { controlPerMinute: 600, ledgerPerSecond: 5000, wrongCredentialsPerMinute: 60 },
    trustedProxies: [],
    bootstrapTokenFile: undefined,
  });
  expect(JSON.stringify(redacted(config))).not.toMatch(/hush|Apache/);
});

test.each([
  [{ LEDGERHOUSE_API_TYPO: '1' }, 'no setting LEDGERHOUSE_API_TYPO'],
  [{ LEDGERHOUSE_API_DATABASE_URL: 'mysql://u:hush@db/x' }, 'must be postgres://'],
  [{ LEDGERHOUSE_API_SIGNING_KEY_FILE: '/nowhere' }, 'cannot be read'],
  [{ LEDGERHOUSE_API_LISTEN: '8080' }, 'must be HOST:PORT'],
  [{ LEDGERHOUSE_API_PUBLIC_URL: 'ledgerhouse.example.com' }, 'must be http(s)://host'],
  [{ LEDGERHOUSE_API_LOG_LEVEL: 'loud' }, 'must be one of debug'],
  [{ LEDGERHOUSE_API_DATABASES_MAX: '0' }, 'from 1 to'],
])('%j is refused with what would be right', (wrong, message) => {
  expect(() => readConfig({ ...needed, ...wrong })).toThrow(message);
  expect(() => readConfig({ ...needed, ...wrong })).not.toThrow('hush');
});

test('what has no default must be there', () => {
  expect(() => readConfig({})).toThrow('LEDGERHOUSE_API_DATABASE_URL is missing');
});
