/** Backups of TigerBeetle's data files in a real control plane, whose kubelet gives the Jobs their ends. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../base/kube/kube.ts';
import type { LedgerBackup } from '../../../domain/custom-resources.ts';
import { resources } from '../../../domain/kinds.ts';
import { labels } from '../../../domain/names.ts';
import { engineSays } from '../../support/engine/engine-says.ts';
import { madeOfFiles, operatorWithStore } from '../../support/api/backup-store.ts';
import { startOperatorWorld, type OperatorWorld } from '../../support/operator/operator-world.ts';
import { startTestOperator, type TestOperator } from '../../support/operator/test-operator.ts';
import { eventually } from '../../support/shell.ts';

type Backup = LedgerBackup & KubeObject;

let world: OperatorWorld;
let operator: TestOperator;
/** Verbs of the pods of Jobs of backups, by name, in the order in which they were first seen. */
const seen = new Map<string, string | undefined>();

beforeAll(async () => {
  world = await startOperatorWorld();
  world.kubelet.ending = (pod) => {
    const backup = pod.metadata?.labels?.[labels.backup];
    const { name = '' } = pod.metadata;
    if (backup !== undefined && !seen.has(name)) seen.set(name, pod.spec?.containers[0]?.args?.[0]);
    const message = JSON.stringify({ ...madeOfFiles, clusterId: '77' });
    return backup === undefined ? undefined : { exitCode: 0, message };
  };
  operator = await startTestOperator({
    kubeConfig: world.kubeConfig,
    fetchStatus: () => Promise.resolve(engineSays('TigerBeetle', '0.17.9')),
    ...operatorWithStore,
  });
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

const spec = { engine: 'TigerBeetle', topology: 'ha-3', size: 'lh-40' } as const;

const backUp = (name: string, own: object) =>
  world.kube.create(
    resources.backup,
    {
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: { name, namespace: 'default' },
      spec: { database: 'beetles', ...own },
    } as unknown as Backup,
    { fieldManager: 'test' },
  );

test('the files of a suspended database become a backup, and a database that begins with it has its cluster id and is not filled', async () => {
  await world.createDatabase('default', 'beetles', { ...spec, clusterId: '77' });
  await world.until('default', 'beetles', 'Available', 'True');
  await backUp('cold', { method: 'Files' });
  const told = (name: string) =>
    eventually(`${name} is told`, async () => {
      const reference = { resource: resources.backup, namespace: 'default', name };
      const found = await world.kube.read<Backup>(reference);
      if (found?.status?.conditions === undefined) throw new Error('it is not');
      return found;
    });
  // An operator that has not heard yet that the database serves says first that it waits for that.
  await eventually('what to do is told', async () => {
    expect((await told('cold')).status?.conditions?.[0]).toMatchObject({
      reason: 'DatabaseNotReady',
      message: expect.stringContaining('suspend beetles'),
    });
    return true;
  });
  await world.patchDatabase('default', 'beetles', { spec: { suspend: true } });
  const made = await eventually('the backup', async () => {
    const found = await told('cold');
    if (found.status?.conditions?.[0]?.status !== 'True')
      throw new Error(JSON.stringify(found.status));
    return found;
  });
  const { status } = made;
  expect(status?.files).toEqual(madeOfFiles.files);
  const verbs = [...seen.values()];
  // The last one sees what the others have copied.
  expect(verbs).toEqual(['backup-file', 'backup-file', 'backup-file', 'backup-files']);

  const { databaseId = '', backupId = '', clusterId = '' } = status ?? {};
  const backup = { databaseId, backupId, clusterId };
  await world.createDatabase('default', 'thawed', { ...spec, bootstrap: { backup } });
  const thawed = await world.until('default', 'thawed', 'Available', 'True');
  expect(thawed.status).toMatchObject({ clusterId: '77', bootstrapped: true });
  expect(thawed.status?.filled).toBeUndefined();
});

test('the API server refuses impossible backups of files', async () => {
  await expect(backUp('scheduled', { method: 'Files', type: 'Scheduled' })).rejects.toThrow(
    /type Manual/,
  );
  const reference = { resource: resources.backup, namespace: 'default', name: 'kept' };
  await backUp('kept', { database: 'nobody', method: 'Files' });
  const change = world.kube.mergePatch<Backup>(
    reference,
    { spec: { method: 'Rows' } },
    { fieldManager: 'test' },
  );
  await expect(change).rejects.toThrow(/cannot be changed/);
  const databaseId = 'db_01h455vb4pex5vsknk084sn02q';
  const backup = { databaseId, targetOp: 5, clusterId: '77' };
  const moment = world.createDatabase('default', 'moment', { ...spec, bootstrap: { backup } });
  await expect(moment).rejects.toThrow(/only of a backup of data files/);
});
