import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readConfig, redacted } from './config.ts';

// LICENSE stands for the key file: it exists and is long enough for a key.
const needed = {
  LEDGERHOUSE_API_DATABASE_URL: 'postgres://u:hush@db:5432/x',
  LEDGERHOUSE_API_SIGNING_KEY_FILE: 'LICENSE',
};

test('settings that are absent have defaults, and no secret is logged', () => {
  const config = readConfig(needed);
  expect(config).toMatchObject({
    listen: { host: '127.0.0.1', port: 8080 },
    healthListen: { host: '127.0.0.1', port: 8081 },
    limits: { controlPerMinute: 600, ledgerPerSecond: 5000, wrongCredentialsPerMinute: 60 },
    trustedProxies: [],
    // Fifty databases of six replicas, and some room beside them.
    namespaceDefaults: {
      podSecurity: 'restricted',
      quota: { pods: 600, claims: 1200, services: 600 },
    },
    bootstrapTokenFile: undefined,
  });
  expect(JSON.stringify(redacted(config))).not.toMatch(/hush|Apache/);
});

test('requests are traced only where a collector is named, and then all of them unless it is said', () => {
  const settings = { ...needed, LEDGERHOUSE_API_TRACES_ENDPOINT: 'http://collector:4318/' };
  const endpoint = 'http://collector:4318';
  expect(readConfig(needed).traces).toBeUndefined();
  expect(readConfig(settings).traces).toEqual({ endpoint, share: 1 });
  const some = { ...settings, LEDGERHOUSE_API_TRACES_PERCENT: '0.5' };
  expect(readConfig(some).traces).toEqual({ endpoint, share: 0.005 });
});

test('a namespace has room for as many databases as its organization may have, unless it is said', () => {
  const settings = {
    LEDGERHOUSE_API_DATABASES_MAX: '9999999',
    LEDGERHOUSE_API_NAMESPACE_POD_SECURITY: 'privileged',
    LEDGERHOUSE_API_NAMESPACE_QUOTA_PODS: '7',
  };
  expect(readConfig({ ...needed, ...settings }).namespaceDefaults).toEqual({
    podSecurity: 'privileged',
    quota: { pods: 119_999_988, claims: 239_999_976, services: 119_999_988 },
    fixed: { pods: 7 },
  });
});

test.each([
  [{ LEDGERHOUSE_API_TYPO: '1' }, 'unknown setting LEDGERHOUSE_API_TYPO'],
  [{ LEDGERHOUSE_API_DATABASE_URL: 'mysql://u:hush@db/x' }, 'must be postgres://'],
  [{ LEDGERHOUSE_API_SIGNING_KEY_FILE: '/nowhere' }, 'cannot be read'],
  [{ LEDGERHOUSE_API_LISTEN: '8080' }, 'must be HOST:PORT'],
  [{ LEDGERHOUSE_API_PUBLIC_URL: 'ledgerhouse.example.com' }, 'must be http(s)://host'],
  [{ LEDGERHOUSE_API_LOG_LEVEL: 'loud' }, 'must be one of debug'],
  [{ LEDGERHOUSE_API_DATABASES_MAX: '0' }, 'from 1 to'],
  [{ LEDGERHOUSE_API_NAMESPACE_POD_SECURITY: 'strict' }, 'privileged, baseline, restricted'],
  [{ LEDGERHOUSE_API_NAMESPACE_QUOTA_PODS: 'none' }, 'from 1 to'],
  [{ LEDGERHOUSE_API_TRUSTED_PROXIES: '10.0.0.0/8, ingress' }, 'not ingress'],
  [{ LEDGERHOUSE_API_TRUSTED_PROXIES: '10.0.0.0/33' }, 'ranges such as'],
  [{ LEDGERHOUSE_API_DATABASE_CONNECTIONS: '0' }, 'from 1 to'],
  [{ LEDGERHOUSE_API_TRACES_ENDPOINT: 'collector:4318' }, 'must be http(s)://host:port'],
  [{ LEDGERHOUSE_API_TRACES_ENDPOINT: 'http://u:hush@collector:4318' }, 'without a path or a'],
  [{ LEDGERHOUSE_API_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, 'path is added'],
  [{ LEDGERHOUSE_API_TRACES_PERCENT: '101' }, 'from 0 to 100'],
  [{ LEDGERHOUSE_API_NOTICE: 'x'.repeat(501) }, 'at most 500'],
])('%j is refused with what would be right', (wrong, message) => {
  expect(() => readConfig({ ...needed, ...wrong })).toThrow(message);
  expect(() => readConfig({ ...needed, ...wrong })).not.toThrow('hush');
});

test('trusted proxies are addresses, ranges and names of ranges', () => {
  const LEDGERHOUSE_API_TRUSTED_PROXIES = '10.0.0.0/8 2001:db8::/32,192.0.2.1, loopback';
  expect(readConfig({ ...needed, LEDGERHOUSE_API_TRUSTED_PROXIES }).trustedProxies).toEqual([
    '10.0.0.0/8',
    '2001:db8::/32',
    '192.0.2.1',
    'loopback',
  ]);
});

const stripe = {
  LEDGERHOUSE_API_BILLING: 'stripe',
  LEDGERHOUSE_API_BILLING_CURRENCY: 'EUR',
  LEDGERHOUSE_API_BILLING_RETURN_URL: 'https://ledgerhouse.example.com',
  LEDGERHOUSE_API_STRIPE_PRICES: 'price_1, price_2',
  LEDGERHOUSE_API_STRIPE_SECRET_KEY_FILE: 'LICENSE',
  LEDGERHOUSE_API_STRIPE_WEBHOOK_SECRET_FILE: 'LICENSE',
};

test.each([
  [{ LEDGERHOUSE_API_BILLING: 'cash' }, 'must be one of none, stripe'],
  [{ LEDGERHOUSE_API_BILLING_CURRENCY: 'eur' }, 'must be three capital letters'],
  [{ LEDGERHOUSE_API_BILLING_CURRENCY: undefined }, 'BILLING_CURRENCY is missing'],
  [{ LEDGERHOUSE_API_BILLING_RETURN_URL: '' }, 'BILLING_RETURN_URL or LEDGERHOUSE_API_PUBLIC_URL'],
  [{ LEDGERHOUSE_API_STRIPE_PRICES: 'prod_1' }, 'must be IDs of prices'],
  [{ LEDGERHOUSE_API_STRIPE_SECRET_KEY_FILE: '/nowhere' }, 'cannot be read'],
  // The file's content is not a key; the message does not repeat it.
  [{}, 'STRIPE_SECRET_KEY_FILE must contain a value that begins with sk_ or rk_'],
])('billing with %j is refused with what would be right', (wrong, message) => {
  const environment = { ...needed, ...stripe, ...wrong };
  expect(() => readConfig(environment)).toThrow(message);
  expect(() => readConfig(environment)).not.toThrow('Apache');
});

test('settings without a default are required', () => {
  expect(() => readConfig({})).toThrow('LEDGERHOUSE_API_DATABASE_URL is missing');
});

test('imports have a bucket, and credentials that are read from files and not logged', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-config-'));
  try {
    for (const file of ['access-key-id', 'secret-access-key']) {
      writeFileSync(join(folder, file), `hush-${file}\n`);
    }
    const settings = {
      LEDGERHOUSE_API_IMPORTS_STORE: 's3://bucket/house/',
      LEDGERHOUSE_API_IMPORTS_CREDENTIALS_FOLDER: folder,
    };
    const config = readConfig({ ...needed, ...settings });
    expect(config.imports).toEqual({
      store: {
        endpoint: undefined,
        region: 'us-east-1',
        bucket: 'bucket',
        prefix: 'house/',
        accessKeyId: 'hush-access-key-id',
        secretAccessKey: 'hush-secret-access-key',
      },
      bytesMax: undefined,
    });
    expect(JSON.stringify(redacted(config))).not.toContain('hush');
    const more = {
      LEDGERHOUSE_API_IMPORTS_STORE: 's3://bucket',
      LEDGERHOUSE_API_IMPORTS_ENDPOINT: 'http://s3:7070/',
      LEDGERHOUSE_API_IMPORTS_GIBIBYTES_PER_ORGANIZATION: '2',
    };
    expect(readConfig({ ...needed, ...settings, ...more }).imports).toMatchObject({
      store: { endpoint: 'http://s3:7070', prefix: '' },
      bytesMax: 2 * 1024 ** 3,
    });
    const wrong = { LEDGERHOUSE_API_IMPORTS_STORE: 'https://bucket' };
    expect(() => readConfig({ ...needed, ...settings, ...wrong })).toThrow('must be s3://BUCKET');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a folder that lacks a part of the dashboard is refused, and the part is named', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-config-'));
  try {
    const settings = { ...needed, LEDGERHOUSE_API_DASHBOARD_FOLDER: folder };
    const missing = (part: string) =>
      `DASHBOARD_FOLDER must hold the built dashboard; there is no ${join(folder, part)}`;
    for (const page of ['index.html', 'first-load.js']) {
      expect(() => readConfig(settings)).toThrow(missing(page));
      writeFileSync(join(folder, page), '');
    }
    expect(() => readConfig(settings)).toThrow(missing('assets'));
    mkdirSync(join(folder, 'assets'));
    expect(readConfig(settings).dashboardFolder).toBe(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
