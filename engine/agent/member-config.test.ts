import { expect, test } from '@jest/globals';
import { quotaBytes } from '../log/shared-volume.ts';
import { catchUpEntries, memberConfig, type MemberOptions } from './member-config.ts';

const gib = 2 ** 30;
const options: MemberOptions = {
  clusterId: 7n,
  replicaIndex: 1,
  replicaCount: 3,
  incarnation: 2,
  state: 'new',
  folder: '/data/etcd',
  peers: ['https://r0:2380', 'https://r1:2380', 'https://r2:2380'],
  listen: 'https://0.0.0.0:2380',
  health: 'http://0.0.0.0:2381',
  socket: '/etcd/client.sock',
  certificates: { folder: '/certs', commonName: 'uid' },
  memoryBytes: 2 * gib,
  volumeBytes: 20 * gib,
};

test('a member is told who it is, who the others are, and of which database and incarnation', () => {
  expect(memberConfig(options)).toMatchObject({
    name: 'r1',
    'initial-advertise-peer-urls': 'https://r1:2380',
    'initial-cluster': 'r0=https://r0:2380,r1=https://r1:2380,r2=https://r2:2380',
    'initial-cluster-token': '7-2',
    'initial-cluster-state': 'new',
    'listen-client-urls': 'unix:///etcd/client.sock',
  });
});

test('one that joins a cluster which is there is told who is in it, one fewer perhaps', () => {
  const initialCluster = 'r0=https://r0:2380,r1=https://r1:2380';
  expect(memberConfig({ ...options, state: 'existing', initialCluster })).toMatchObject({
    'initial-cluster': initialCluster,
    'initial-cluster-state': 'existing',
  });
});

test('members take none whose certificate is not of this database', () => {
  expect(memberConfig(options)['peer-transport-security']).toEqual({
    'cert-file': '/certs/tls.crt',
    'key-file': '/certs/tls.key',
    'trusted-ca-file': '/certs/ca.crt',
    'client-cert-auth': true,
    'allowed-cn': ['uid'],
    'skip-client-san-verification': true,
  });
});

test.each([
  [1, 0.25],
  [4, 0.5],
  [10, 1.25],
  [16, 2],
  [1000, 2],
])('of a volume of %d GiB the log may have %d GiB', (volume, quota) => {
  expect(quotaBytes(volume * gib)).toBe(quota * gib);
});

test('blocks for who is behind are kept in memory as far as there is memory', () => {
  expect([catchUpEntries(gib), catchUpEntries(2 * gib)]).toEqual([64, 256]);
});
