import { expect, test } from '@jest/globals';
import { subtract } from './cidr.ts';

test.each([
  ['10.1.2.3/8', [], ['10.0.0.0/8']],
  ['10.0.0.0/8', ['11.0.0.0/8'], ['10.0.0.0/8']],
  ['10.0.0.0/8', ['10.0.0.0/8'], []],
  ['10.0.0.0/30', ['10.0.0.1/32'], ['10.0.0.0/32', '10.0.0.2/31']],
  ['0.0.0.0/0', ['128.0.0.0/1'], ['0.0.0.0/1']],
])('%s without %j is %j', (cidr, except, rest) => expect(subtract(cidr, except)).toEqual(rest));

test.each(['10.0.0.0', '10.0.0.256/8', '10.0.0.0/33', '::/0'])('"%s" is refused', (cidr) =>
  expect(() => subtract(cidr, [])).toThrow('no IPv4 range'),
);
