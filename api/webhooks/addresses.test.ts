import { expect, test } from '@jest/globals';
import { AddressGuard } from './addresses.ts';

const guard = new AddressGuard([]);

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:a9fe:a9fe',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001:0:1::1',
  '2001:db8::1',
  'example.com',
  '',
])('nothing is sent to %s', (address) => {
  expect(guard.allows(address)).toBe(false);
});

test.each([
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00::1',
])('webhooks may go to %s', (address) => {
  expect(guard.allows(address)).toBe(true);
});

test('an installation allows ranges that it names, and only those', () => {
  const named = new AddressGuard(['10.96.0.0/12', '127.0.0.1/32', 'fd00:1::/32']);
  for (const address of ['10.96.0.1', '10.111.255.255', '127.0.0.1', 'fd00:1::5']) {
    expect({ address, allowed: named.allows(address), is: named.isNamed(address) }).toEqual({
      address,
      allowed: true,
      is: true,
    });
  }
  for (const address of ['10.95.0.1', '10.112.0.0', '127.0.0.2', 'fd00:2::5', '169.254.169.254']) {
    expect({ address, allowed: named.allows(address) }).toEqual({ address, allowed: false });
  }
  expect(named.isNamed('1.1.1.1')).toBe(false);
});
