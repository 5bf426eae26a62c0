import { expect, test } from '@jest/globals';
import { cpuMsOf } from '../../test/support/cpu-time.ts';
import { generateApiKey } from '../auth/api-key-format.ts';
import { redact, redactValue } from './redact.ts';

const key = generateApiKey().text;
const jwt = `eyJhbGciOiJIUzI1NiJ9.${'e30'.repeat(4)}.${'x'.repeat(43)}`;

test.each([
  ['an API key', `refused ${key} at the gate`, key],
  ['a bootstrap token', 'token lhb_0123456789abcdefghij', 'lhb_0123456789abcdefghij'],
  ['a webhook’s secret', 'signed with whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'MfKQ9r8GKYqr'],
  ['a key of Stripe', 'sk_live_4eC39HqLyjWDarjtT1zdp7dc', '4eC39HqLyjWDarjt'],
  ['a bearer token', 'GET / with Authorization: Bearer abcdef0123456789', 'abcdef0123456789'],
  ['basic credentials', 'Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNz'],
  ['a JSON Web Token', `said ${jwt}.`, jwt.slice(0, 30)],
  ['a password in a URL', 'connect postgres://ledger:hunter2@db:5432/x failed', 'hunter2'],
  ['a password as a setting', 'password=hunter2 host=db', 'hunter2'],
  ['a quoted secret', '{"clientSecret": "hunter2 and more"}', 'hunter2'],
  ['a secret with an escaped quote', String.raw`{"password":"ab\"hunter2 and more"}`, 'hunter2'],
  ['a secret that is cut off', '{"password":"some hunter2 and mo', 'hunter2'],
  ['a secret that is cut off at an escape', '{"password":"some hunter2\\', 'hunter2'],
  ['a password with a slash in a URL', 'postgres://ledger:hun/ter2@db:5432/x failed', 'ter2'],
  [
    'a line of a private key',
    `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${'BKcwggSjAgEAAoIBAQ'.repeat(2)}`,
    'MIIEvQIB',
  ],
  ['a token behind a hyphen', `session-${jwt}`, jwt.slice(0, 30)],
  ['an access key of S3', 'AKIAIOSFODNN7EXAMPLE was refused', 'IOSFODNN7EXAMPLE'],
  ['a signed URL', 'GET https://s3/b?X-Amz-Signature=deadbeef01', 'deadbeef01'],
  [
    'a private key',
    '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGh\n-----END EC PRIVATE KEY-----',
    'MHcCAQEEIIGh',
  ],
])('%s is masked', (_what, text, secret) => {
  expect(text).toContain(secret);
  const masked = redact(text);
  expect(masked).not.toContain(secret);
  expect(masked).toContain('•••');
});

test.each([
  'checkpoint 4211 written in 512 ms',
  'listening at 10.0.3.17:3001',
  'etcd https://10.0.0.1:2380 answered',
  'database db_01jd8f3zk5e0v9t3m2q6r8w4xy has size lh-40',
])('“%s” has no secret and stays', (text) => expect(redact(text)).toBe(text));

test('fields are masked by their name, and texts in them by what they hold', () => {
  const value = {
    password: 'hunter2',
    headers: { authorization: ['x'], accept: 'text/plain' },
    list: [{ note: `uses ${key}` }],
    accessToken: null,
    count: 3,
  };
  expect(redactValue(value)).toEqual({
    password: '•••',
    headers: { authorization: '•••', accept: 'text/plain' },
    list: [{ note: 'uses lhk_•••' }],
    accessToken: null,
    count: 3,
  });
});

test('what is nested without end is cut', () => {
  const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
  expect(JSON.stringify(redactValue(deep))).toBe('[[[[[[[["…"]]]]]]]]');
});

test('no text of the greatest length takes long', () => {
  for (const text of [
    'a-'.repeat(8_192),
    'secret'.repeat(2_700),
    'a://'.repeat(4_096),
    'a.'.repeat(8_192),
    '-eyJabc'.repeat(2_340),
    'eyJabcdefg.'.repeat(1_489),
    'password="'.repeat(1_638),
    `password="${'\\'.repeat(16_000)}`,
    '"'.repeat(16_384),
  ]) {
    // A search whose steps grow with the square of the length takes hundreds of milliseconds, another one two.
    expect(cpuMsOf(() => redact(text))).toBeLessThan(100);
  }
});
