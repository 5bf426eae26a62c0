import { expect, test } from '@jest/globals';
import { diskIo, networkIo } from './machine-io.ts';

test('bytes of disks are those that storage moved', () => {
  const text =
    'rchar: 6976\nwchar: 5\nsyscr: 10\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 7\n';
  expect(diskIo(text)).toEqual({ inBytes: 4_096, outBytes: 8_192 });
  expect(diskIo('')).toBeUndefined();
});

test('bytes of the network are those of all devices but the loopback', () => {
  const text = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 900 9    0    0    0     0          0         0 901 9    0    0    0     0       0          0
  eth0: 7011591648  683493    0    0    0     0          0         0 86034573  694920    0    0    0     0       0          0
lhad9n1:      10  1    0    0    0     0          0        40 20  2    0    0    0     0       0          0
`;
  expect(networkIo(text)).toEqual({ inBytes: 7_011_591_658, outBytes: 86_034_593 });
  expect(networkIo(text.split('\n').slice(0, 3).join('\n'))).toBeUndefined();
});
