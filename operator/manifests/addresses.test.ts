import { expect, test } from '@jest/globals';
import { addressList, addressListOf, anyAddress } from './addresses.ts';

const v4 = ['10.96.0.1', '10.96.0.2', '10.96.0.3'];
const v6 = ['fd00::1', 'fd00::2', 'fd00::3'];
const endpoints = (ips: readonly string[]) => ips.map((ip, index) => ({ index, ip, port: 3001 }));
const subject = (ips: readonly string[], ipFamilyPolicy?: 'SingleStack' | 'PreferDualStack') => ({
  endpoints: endpoints(ips),
  resolved: { placement: ipFamilyPolicy === undefined ? {} : { ipFamilyPolicy } },
});

test.each([
  ['IPv4', v4, '10.96.0.1:3001,10.96.0.2:3001,10.96.0.3:3001'],
  ['IPv6', v6, '[fd00::1]:3001,[fd00::2]:3001,[fd00::3]:3001'],
  ['one replica', ['10.96.0.9'], '10.96.0.9:3001'],
])('%s: clients get every address, in the order of the replicas', (_, ips, list) => {
  expect(addressList(endpoints(ips))).toBe(list);
});

test.each([
  [v4, 0, '0.0.0.0:3001,10.96.0.2:3001,10.96.0.3:3001'],
  [v4, 2, '10.96.0.1:3001,10.96.0.2:3001,0.0.0.0:3001'],
  [v6, 1, '[fd00::1]:3001,[::]:3001,[fd00::3]:3001'],
])('%j: replica %i gets an entry of its own that its pod can bind', (ips, index, list) => {
  expect(addressListOf(subject(ips), index)).toBe(list);
});

test('a pod listens in the family that its Services have', () => {
  expect(anyAddress(subject(v4), 3002)).toBe('0.0.0.0:3002');
  expect(anyAddress(subject(v6), 3002)).toBe('[::]:3002');
  expect(anyAddress(subject(v4, 'SingleStack'), 3002)).toBe('0.0.0.0:3002');
  expect(anyAddress(subject(v4, 'PreferDualStack'), 3002)).toBe('[::]:3002');
});
