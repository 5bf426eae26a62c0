import { expect, test } from '@jest/globals';
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
  ['the second cookie of a line', 'Cookie: theme=dark; session=hunter2', 'hunter2'],
  ['a cookie behind a quoted one', 'Cookie: theme="dark"; session=hunter2', 'hunter2'],
  [
    'a cookie that is set behind a date',
    'Set-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, session=hunter2; Path=/',
    'hunter2',
  ],
  ['a cookie in a list', "'set-cookie': [ 'theme=dark', 'session=hunter2' ]", 'hunter2'],
  ['an access key', 'https://s3/b?access_key=hunter2&x=1', 'hunter2'],
  ['an option’s password', 'ran psql --password hunter2 -h db', 'hunter2'],
  ['an option’s quoted token', 'ran tool --api-token "hunter2 and more" -v', 'hunter2'],
  ['an option’s value in a list', "spawnargs: [ '--password', 'hunter2' ]", 'hunter2'],
  ['a password behind an arrow', "{ 'password' => 'hunter2' }", 'hunter2'],
  ['a password behind an arrow without quotes', 'password => hunter2', 'hunter2'],
  ['the second password of a list', '{"passwords": ["abc", "hunter2"]}', 'hunter2'],
  ['a token in an object', 'token: { value: "hunter2" }', 'hunter2'],
  ['a password that begins with a bracket', 'password=[ab]hunter2 host=db', 'hunter2'],
  ['a short name of a password', 'Server=db;Pwd=hunter2;Timeout=5', 'hunter2'],
  ['a password in SQL', "ALTER ROLE ledger WITH LOGIN PASSWORD 'hunter2';", 'hunter2'],
  ['a password in SQL with a quote', "CREATE ROLE a ENCRYPTED PASSWORD 'it''s hunter2'", 'hunter2'],
  ['a password in SQL between dollars', "ALTER ROLE a PASSWORD $$it's hunter2$$", 'hunter2'],
  ['a password in MySQL’s SQL', "CREATE USER a IDENTIFIED BY 'hunter2'", 'hunter2'],
  ['a key of Azure’s storage', 'AccountName=a;AccountKey=aHVudGVyMg==;x=1', 'aHVudGVyMg'],
  ['a signed URL of Azure', 'GET https://a.blob/c/b?sv=2024&sig=hunter2%3D&se=1', 'hunter2'],
  ['a token of GitHub', `cloned with ghp_${'hunter2x'.repeat(4)}`, 'hunter2x'],
  ['a fine-grained token of GitHub', `uses github_pat_${'hunter2x'.repeat(4)}`, 'hunter2x'],
  ['a key of age', `read AGE-SECRET-KEY-1${'QPZRY9X8GF'.repeat(5)}`, 'QPZRY9X8GF'],
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
  'started with --token-ttl --listen 0.0.0.0:3001',
  'the cookie was not there; path=/login',
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

test('a value behind its name in a list is masked', () => {
  const value = {
    spawnargs: ['psql', '--password', 'hunter2', '--host', 'db'],
    rawHeaders: ['Cookie', 'theme=dark; session=hunter2', 'Accept', 'text/plain'],
  };
  expect(redactValue(value)).toEqual({
    spawnargs: ['psql', '--password', '•••', '--host', 'db'],
    rawHeaders: ['Cookie', '•••', 'Accept', 'text/plain'],
  });
});

test('a cookie behind a quoted one is still read', () => {
  expect(redact('{"cookie":"a=1; b=2","status":502}')).toBe('{"cookie":•••,"status":502}');
  expect(redact('Cookie: a=1; b=2\nHost: db')).toBe('Cookie: •••\nHost: db');
});

test('a value that is nested without end is cut', () => {
  const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
  expect(JSON.stringify(redactValue(deep))).toBe('[[[[[[[["…"]]]]]]]]');
});

test('no text, however long, takes steps that grow with the square of its length', async () => {
  // The greatest length is a sixty-fourth of these: with its square, each would take longer than a test may.
  const times = (part: string, count: number) => part.repeat(64 * count);
  for (const text of [
    times('a-', 8_192),
    times('secret', 2_700),
    times('token=[', 2_340),
    times('token={', 2_340),
    times('a://', 4_096),
    times('a.', 8_192),
    times('-eyJabc', 2_340),
    times('eyJabcdefg.', 1_489),
    times('password="', 1_638),
    times("password '", 1_638),
    times('password $$', 1_489),
    `password="${times('\\', 16_000)}`,
    times('"', 16_384),
    times('cookie="', 2_048),
    times('cookie="";', 1_638),
    `cookie="${times('\\"', 8_000)}";`,
    times('cookie', 2_730),
    times('--password "', 1_365),
    times('-', 16_384),
    times('--pass', 2_730),
    times('password=:>', 1_489),
    times('AGE-PLUGIN-', 1_489),
    times('authorization', 1_260),
    `authorization${times(' ', 16_000)}`,
  ]) {
    expect(redact(text)).not.toBe('');
    // The limit of a test ends it here.
    await new Promise((resolve) => setImmediate(resolve));
  }
});
