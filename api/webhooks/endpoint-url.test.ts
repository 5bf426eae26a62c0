import { expect, test } from '@jest/globals';
import { AddressGuard } from './addresses.ts';
import { faultOfUrl } from './endpoint-url.ts';

const guard = new AddressGuard([]);

test.each([
  ['https://hooks.example.com/a?b=c', undefined],
  ['https://hooks.example.com:8443/', undefined],
  ['https://1.1.1.1/', undefined],
  ['https://[2606:4700::1111]/', undefined],
  ['http://hooks.example.com/', 'must be https'],
  ['ftp://hooks.example.com/', 'must be https'],
  ['hooks.example.com', 'is no URL'],
  ['https://user:secret@hooks.example.com/', 'password'],
  ['https://hooks.example.com/#a', 'fragment'],
  ['https://hooks.example.com:25/', 'port'],
  ['https://postgres/', 'full host name'],
  // Every form of an address is the address itself.
  ['https://127.0.0.1/', 'not public'],
  ['https://2130706433/', 'not public'],
  ['https://0x7f.1/', 'not public'],
  ['https://0177.0.0.1/', 'not public'],
  ['https://[::1]/', 'not public'],
  ['https://[::ffff:169.254.169.254]/', 'not public'],
  ['https://169.254.169.254/latest/meta-data', 'not public'],
])('%s: %s', (url, fault) => {
  const found = faultOfUrl(url, guard, false);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(fault);
});

test('http is allowed where the installation names addresses', () => {
  const named = new AddressGuard(['127.0.0.0/8']);
  expect(faultOfUrl('http://127.0.0.1:4000/', named, true)).toBeUndefined();
  expect(faultOfUrl('http://localhost:4000/', named, true)).toBeUndefined();
  expect(faultOfUrl('http://10.0.0.1/', named, true)).toContain('not public');
});
