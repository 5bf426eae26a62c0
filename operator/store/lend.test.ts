import { expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import { readCredentials, type StoreSecrets } from './backup-store.ts';
import { credentialsVolume, lendStore } from './lend.ts';

const borrower = { name: 'shop', namespace: 'acme', uid: 'u-1', workload: 'shop-1' };
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'shop', uid: 'u-1' };

async function lent(secrets: StoreSecrets) {
  const cluster = new SimulatedCluster();
  const store = { url: 's3://b/p', region: 'r', ...secrets };
  await lendStore(cluster, borrower, store, owner);
  const [secret] = cluster.all('Secret');
  const volume = credentialsVolume(borrower, store);
  expect(volume.secret?.secretName).toBe(secret?.metadata.name);
  return { name: secret?.metadata.name, data: secret?.stringData };
}

test('keys and object lock are lent with the credentials, in a Secret of another name for each content', async () => {
  const plain = { accessKeyId: 'id', secretAccessKey: 'hush' };
  const none = await lent(plain);
  expect(none.data).toEqual({ 'access-key-id': 'id', 'secret-access-key': 'hush' });
  const [one, two] = [
    await lent({ ...plain, encryptionKeys: '2026 AAAA' }),
    await lent({ ...plain, encryptionKeys: '2027 BBBB\n2026 AAAA' }),
  ];
  expect(one.data).toEqual({ ...none.data, 'encryption-keys': '2026 AAAA' });
  const locked = await lent({ ...plain, objectLock: 'GOVERNANCE 30' });
  expect(locked.data).toEqual({ ...none.data, 'object-lock': 'GOVERNANCE 30' });
  expect(new Set([none.name, one.name, two.name, locked.name]).size).toBe(4);
});

test('the operator reads keys and object lock beside the credentials, if they are there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-store-'));
  try {
    writeFileSync(join(folder, 'access-key-id'), 'id\n');
    writeFileSync(join(folder, 'secret-access-key'), 'hush\n');
    const plain = { accessKeyId: 'id', secretAccessKey: 'hush' };
    expect(readCredentials(folder)).toEqual(plain);
    writeFileSync(join(folder, 'encryption-keys'), '2027 BBBB\n2026 AAAA\n');
    writeFileSync(join(folder, 'object-lock'), 'GOVERNANCE 30\n');
    const encryptionKeys = '2027 BBBB\n2026 AAAA';
    const objectLock = 'GOVERNANCE 30';
    expect(readCredentials(folder)).toEqual({ ...plain, encryptionKeys, objectLock });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
