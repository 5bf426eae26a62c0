/** Backups as kubectl sees them, on a real control plane: Jobs, what they are lent, their results, and databases begun with one. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../base/kube/kube.ts';
import type { LedgerBackup, LedgerBackupSchedule } from '../../../domain/custom-resources.ts';
import {
  resources,
  type Job,
  type NetworkPolicy,
  type Pod,
  type Secret,
  type StatefulSet,
} from '../../../domain/kinds.ts';
import { annotations, backupIdOf, connectLabel, labels } from '../../../domain/names.ts';
import { writtenReturn } from '../../../domain/returning.ts';
import { engineSays } from '../../support/engine/engine-says.ts';
import { startOperatorWorld, type OperatorWorld } from '../../support/operator/operator-world.ts';
import { startTestOperator, type TestOperator } from '../../support/operator/test-operator.ts';
import { jobNameLabel } from '../../../operator/ledgerdatabase/jobs.ts';
import { eventually } from '../../support/shell.ts';

type Backup = LedgerBackup & KubeObject;

const store = {
  url: 's3://backups/house',
  endpoint: 'http://s3.example:7070',
  region: 'eu-1',
  accessKeyId: 'key',
  secretAccessKey: 'very-secret',
};
const made = {
  key: 'db_x/backups/1.ndjson',
  sha256: 'a'.repeat(64),
  clusterId: '5',
  op: 126,
  timestamp: '1795372852090008189',
  stateHash: 'b'.repeat(32),
  release: '0.17.9',
  accounts: 2,
  transfers: 1_000,
  sizeBytes: 146_000,
  storedBytes: 27_000,
  newBytes: 300,
  seconds: 1.1,
};

let world: OperatorWorld;
let operator: TestOperator;
const asked: string[] = [];
/** Pods of Jobs that were given their end. */
const pods: Pod[] = [];
/** What the programs of backups say. */
let says: (backup: string) => { readonly exitCode: number; readonly message: string };
let checkpoint: () => Promise<unknown> = () => Promise.resolve({ op: 99 });

const start = () =>
  startTestOperator({
    kubeConfig: world.kubeConfig,
    fetchStatus: () => Promise.resolve(engineSays('Builtin', '0.17.9')),
    store,
    askForCheckpoint: (url) => {
      asked.push(url);
      return checkpoint();
    },
  });

const ending = (pod: Pod) => {
  pods.push(pod);
  const backup = pod.metadata?.labels?.[labels.backup];
  return backup === undefined ? installs : says(backup);
};
/** What the agent says in the Job of a data file. */
const installed = `60/${'c'.repeat(32)}`;
const installs = { exitCode: 0, message: JSON.stringify({ state: installed }) };

beforeAll(async () => {
  world = await startOperatorWorld();
  world.kubelet.ending = ending;
  operator = await start();
  await world.createDatabase('default', 'payments', {});
  await world.until('default', 'payments', 'Ready', 'True');
});
afterEach(() => {
  world.kubelet.ending = ending;
  pods.length = 0;
  asked.length = 0;
  checkpoint = () => Promise.resolve({ op: 99 });
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

const reference = (name: string) => ({ resource: resources.backup, namespace: 'default', name });

async function backUp(
  name: string,
  database = 'payments',
  own: Readonly<Record<string, string>> = {},
): Promise<Backup> {
  const object = {
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerBackup',
    metadata: { name, namespace: 'default', labels: own },
    spec: { database },
  };
  return world.kube.create(resources.backup, object as unknown as Backup, { fieldManager: 'test' });
}

const until = (name: string, status: string, reason: string): Promise<Backup> =>
  eventually(`${name}: ${status} ${reason}`, async () => {
    const backup = await world.kube.read<Backup>(reference(name));
    const row = backup?.status?.conditions?.[0];
    if (backup === undefined || row?.status !== status || row.reason !== reason)
      throw new Error(JSON.stringify(backup?.status));
    return backup;
  });

const list = <T extends KubeObject>(resource: (typeof resources)[keyof typeof resources]) =>
  world.kube.list<T>(resource, { namespace: 'default' });

test('a backup is a Job beside the replica with a volume that it only reads; its result is the status, and the Job goes', async () => {
  says = () => ({ exitCode: 0, message: `${JSON.stringify({ ...made, backupId: 'bkp_x' })}\n` });
  await backUp('first');
  const backup = await until('first', 'True', 'Completed');
  const database = await world.database('default', 'payments');
  expect(backup.status).toMatchObject({
    ...made,
    backupId: backupIdOf(backup.metadata.uid ?? ''),
    databaseId: database?.status?.databaseId,
    replica: 0,
    startedAt: expect.any(String),
    completedAt: expect.any(String),
  });
  // An operator that has not heard of its own Job yet may ask once more.
  expect(new Set(asked)).toEqual(new Set(['http://127.0.0.1:3002/checkpoint']));
  const pod = pods.find(({ metadata }) => metadata?.labels?.[labels.backup] === 'first');
  const [container] = pod?.spec?.containers ?? [];
  expect(container?.args).toEqual([
    'backup',
    '--store=s3://backups/house',
    '--endpoint=http://s3.example:7070',
    '--region=eu-1',
    '--credentials=/store',
    `--database=${database?.status?.databaseId}`,
    expect.stringMatching(/^--id=bkp_[0-9a-z]{26}$/),
    '--op-min=99',
    '--result=/dev/termination-log',
    `/data/${database?.status?.clusterId}_0.ledger`,
  ]);
  expect(container?.volumeMounts).toEqual([
    { name: 'data', mountPath: '/data', readOnly: true },
    { name: 'store', mountPath: '/store', readOnly: true },
  ]);
  expect(JSON.stringify(pod?.spec?.affinity?.podAffinity)).toContain(
    `${database?.status?.workload}-0`,
  );
  expect(JSON.stringify(pod)).not.toContain(store.secretAccessKey);
  await eventually('the Job goes', async () =>
    (await list<Job>(resources.job)).length === 0 ? true : undefined,
  );
});

test('the credentials are a Secret that only Jobs mount, and the way to the store is open for Jobs only', async () => {
  const database = await world.database('default', 'payments');
  const workload = database?.status?.workload ?? '';
  const secrets = await list<Secret>(resources.secret);
  const [secret] = secrets.filter(({ type }) => type === 'ledgerhouse.dev/store');
  expect(secret).toMatchObject({
    immutable: true,
    metadata: { ownerReferences: [{ kind: 'LedgerDatabase', name: 'payments' }] },
  });
  expect(secret?.metadata.name).toMatch(new RegExp(`^${workload}-store-[0-9a-f]{12}$`));
  const sets = await list(resources.statefulSet);
  expect(JSON.stringify(sets)).not.toContain('-store');
  const policies = await list<NetworkPolicy>(resources.networkPolicy);
  const policy = policies.find(({ metadata }) => metadata.name === `${workload}-store`);
  expect(policy?.spec).toMatchObject({
    podSelector: { matchLabels: { [labels.workload]: workload, [labels.usesStore]: 'true' } },
    policyTypes: ['Egress'],
    egress: [{ ports: [{ port: 53 }, { port: 53 }, { port: 7070 }] }],
  });
});

/** Errors that the program of a backup ends with, and the reasons that a backup shows for them. */
const failures = {
  store_refused: 'StoreRefused',
  store_overwrites: 'StoreOverwrites',
  archive_foreign: 'ArchiveForeign',
  checkpoint_corrupt: 'ReplicaDamaged',
  something_new: 'Failed',
};

test('a Job that fails is told by the reason of its error, with its words', async () => {
  const nameOf = (error: string) => error.replaceAll('_', '-');
  const messageOf = (error: string) => `what ${error} means, and what to do`;
  const errors = Object.keys(failures);
  says = (backup) => {
    const error = errors.find((each) => nameOf(each) === backup) ?? '';
    return { exitCode: 1, message: JSON.stringify({ error, message: messageOf(error) }) };
  };
  // All at once: a Job tries three times, with pauses that add up to a minute.
  await Promise.all(errors.map((error) => backUp(nameOf(error))));
  const told = await Promise.all(
    Object.entries(failures).map(([error, reason]) => until(nameOf(error), 'False', reason)),
  );
  expect(told.map(({ status }) => status?.conditions?.[0]?.message)).toEqual(errors.map(messageOf));
  for (const { status } of told) expect(status?.completedAt).toBeDefined();
});

test('a backup waits for its database, and for a replica that answers', async () => {
  says = () => ({ exitCode: 0, message: JSON.stringify({ ...made, backupId: 'bkp_x' }) });
  await backUp('early', 'later');
  await until('early', 'Unknown', 'DatabaseNotFound');
  checkpoint = () => Promise.reject(new Error('ECONNREFUSED'));
  await world.createDatabase('default', 'later', {});
  await world.until('default', 'later', 'Ready', 'True');
  const waiting = await until('early', 'Unknown', 'DatabaseNotReady');
  expect(waiting.status?.conditions?.[0]?.message).toMatch(/took no checkpoint: ECONNREFUSED/);
  checkpoint = () => Promise.resolve({ op: 1 });
  await until('early', 'True', 'Completed');
});

test('a suspended database is backed up from its closed file', async () => {
  says = () => ({ exitCode: 0, message: JSON.stringify({ ...made, backupId: 'bkp_x' }) });
  await world.createDatabase('default', 'asleep', {});
  await world.until('default', 'asleep', 'Ready', 'True');
  await world.patchDatabase('default', 'asleep', { spec: { suspend: true } });
  await world.until('default', 'asleep', 'Suspended', 'True');
  await backUp('cold', 'asleep');
  await until('cold', 'True', 'Completed');
  const pod = pods.find(({ metadata }) => metadata?.labels?.[labels.backup] === 'cold');
  expect(pod?.spec?.containers[0]?.args).toContain('--stopped');
  expect(asked).toEqual([]);
});

test('a cluster of TigerBeetle is read by a client in a Job of our program, with a volume that goes with its pod', async () => {
  says = () => ({ exitCode: 0, message: JSON.stringify({ ...made, backupId: 'bkp_x' }) });
  await world.createDatabase('default', 'beetle', {
    engine: 'TigerBeetle',
    topology: 'single',
    size: 'lh-40',
  });
  await world.until('default', 'beetle', 'Available', 'True');
  await backUp('beetle', 'beetle');
  const { status } = await until('beetle', 'True', 'Completed');
  const database = await world.database('default', 'beetle');
  expect(status).toMatchObject({ databaseId: database?.status?.databaseId, transfers: 1_000 });
  expect(status?.replica).toBeUndefined();
  const pod = pods.find(({ metadata }) => metadata?.labels?.[labels.backup] === 'beetle');
  const [container] = pod?.spec?.containers ?? [];
  expect(container?.args?.[0]).toBe('backup-cluster');
  expect(container?.args).toContain(`--cluster=${database?.status?.clusterId}`);
  const [endpoint] = database?.status?.endpoints ?? [];
  expect(container?.args).toContain(`--addresses=${endpoint?.ip}:${endpoint?.port}`);
  expect(container?.image).not.toContain('tigerbeetle');
  const template = pod?.spec?.volumes?.find(({ ephemeral }) => ephemeral !== undefined);
  const claim = template?.ephemeral?.volumeClaimTemplate?.spec;
  const { requestedGb } = database?.status?.storage ?? {};
  expect(claim?.resources?.requests).toEqual({ storage: `${requestedGb}Gi` });
  // Nobody asks it for a checkpoint: it has none.
  expect(asked).toEqual([]);
  const error = { error: 'cluster_differs', message: 'the balances do not agree' };
  says = () => ({ exitCode: 1, message: JSON.stringify(error) });
  await backUp('beetle-differs', 'beetle');
  await until('beetle-differs', 'False', 'LedgerDiffers');
});

test('an operator that ends between any two steps leaves a backup that its successor completes once', async () => {
  says = () => ({ exitCode: 0, message: JSON.stringify({ ...made, backupId: 'bkp_x' }) });
  await operator.stop();
  await backUp('taken-over');
  operator = await start();
  await eventually('the Job is there', async () =>
    (await list<Job>(resources.job)).some(({ metadata }) =>
      metadata.ownerReferences?.some(({ name }) => name === 'taken-over'),
    ),
  );
  await operator.stop();
  operator = await start();
  await until('taken-over', 'True', 'Completed');
});

const schedules = resources.backupSchedule;
type Schedule = LedgerBackupSchedule & KubeObject;

const follow = (name: string, spec: Partial<LedgerBackupSchedule['spec']>) =>
  world.kube.create(
    schedules,
    {
      apiVersion: schedules.apiVersion,
      kind: schedules.kind,
      metadata: { name, namespace: 'default' },
      spec: { database: 'payments', schedule: '0 0 29 2 *', verify: 'Never', ...spec },
    } as unknown as Schedule,
    { fieldManager: 'test' },
  );
const untilSchedule = (name: string, reason: string): Promise<Schedule> =>
  eventually(`${name}: ${reason}`, async () => {
    const found = await world.kube.read<Schedule>({
      resource: schedules,
      namespace: 'default',
      name,
    });
    if (found?.status?.conditions?.[0]?.reason !== reason)
      throw new Error(JSON.stringify(found?.status));
    return found;
  });
const change = (name: string, spec: object) =>
  world.kube.mergePatch<Backup>(reference(name), { spec }, { fieldManager: 'test' });
const untilGone = (name: string) =>
  eventually(`${name} is gone`, async () => {
    const found = await world.kube.read<Backup>(reference(name));
    if (found !== undefined) throw new Error(JSON.stringify(found.status));
    return true;
  });
const untilVerified = (name: string, status: string, reason: string): Promise<Backup> =>
  eventually(`${name}: Verified ${status} ${reason}`, async () => {
    const backup = await world.kube.read<Backup>(reference(name));
    const row = backup?.status?.conditions?.find(({ type }) => type === 'Verified');
    if (backup === undefined || row?.status !== status || row.reason !== reason)
      throw new Error(JSON.stringify(backup?.status));
    return backup;
  });
/** Arguments of the pod that worked with a backup, whose container has that name. */
const podOf = (backup: string, container: string) =>
  pods.find(
    ({ metadata, spec }) =>
      metadata?.labels?.[labels.backup] === backup &&
      spec?.containers.some(({ name }) => name === container),
  );
const argsOf = (backup: string, container: string) =>
  podOf(backup, container)?.spec?.containers.find(({ name }) => name === container)?.args;
const succeeding = () => {
  says = () => ({ exitCode: 0, message: JSON.stringify({ ...made, backupId: 'bkp_x' }) });
};

test('a schedule makes a backup, which is proven, and says when the next one is due', async () => {
  succeeding();
  await follow('first-at-once', { immediate: true, verify: 'Every', timeZone: 'Europe/Vienna' });
  const schedule = await eventually('its backup', async () => {
    const found = await untilSchedule('first-at-once', 'Scheduled');
    if (found.status?.lastVerifiedAt === undefined) throw new Error(JSON.stringify(found.status));
    return found;
  });
  const name = schedule.status?.lastBackup ?? '';
  const backup = await untilVerified(name, 'True', 'Passed');
  expect(name).toMatch(/^first-at-once-\d{12}$/);
  expect(backup).toMatchObject({
    metadata: { labels: { [labels.schedule]: 'first-at-once' } },
    spec: { database: 'payments', type: 'Scheduled', reclaimPolicy: 'Delete' },
    status: { verification: { passed: true, seconds: made.seconds } },
  });
  expect(argsOf(name, 'verify')).toEqual(
    expect.arrayContaining([
      'verify-backup',
      `--backup=${backup.status?.backupId}`,
      `--sha256=${made.sha256}`,
    ]),
  );
  expect(schedule.status).toMatchObject({
    backups: 1,
    lastSuccessfulTime: backup.status?.completedAt,
    // The 29th of February 2028 begins at 23:00 UTC in Vienna.
    nextScheduleTime: '2028-02-28T23:00:00Z',
  });
});

test('a backup that a schedule does not keep goes from the bucket and the cluster; a protected one stays', async () => {
  succeeding();
  await follow('keeps-one', { keepLast: 1 });
  const make = async (name: string, spec: object = {}) => {
    const object = {
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: { name, namespace: 'default', labels: { [labels.schedule]: 'keeps-one' } },
      spec: { database: 'payments', type: 'Scheduled', reclaimPolicy: 'Delete', ...spec },
    };
    await world.kube.create(resources.backup, object as unknown as Backup, {
      fieldManager: 'test',
    });
    // Of two backups of one second, the name decides.
    return until(name, 'True', 'Completed');
  };
  await make('kept-0', { protected: true });
  const gone = await make('kept-1');
  await make('kept-2', { reclaimPolicy: 'Retain' });
  await make('kept-3');
  await Promise.all(['kept-1', 'kept-2'].map(untilGone));
  expect(argsOf('kept-1', 'remove')).toEqual(
    expect.arrayContaining(['remove-backup', `--backup=${backupIdOf(gone.metadata.uid ?? '')}`]),
  );
  expect(argsOf('kept-2', 'remove')).toBeUndefined();
  for (const name of ['kept-0', 'kept-3'])
    expect(await world.kube.read(reference(name))).toBeDefined();
});

test('a backup is removed when it is asked for, but not while it is protected, and one whose removal fails says why', async () => {
  succeeding();
  await backUp('unwanted');
  await until('unwanted', 'True', 'Completed');
  await change('unwanted', { protected: true, removeRequested: true });
  says = () => ({
    exitCode: 1,
    message: JSON.stringify({ error: 'store_refused', message: 'no right' }),
  });
  await change('unwanted', { protected: false });
  await eventually(
    'the refusal is told',
    async () => {
      const found = await world.kube.read<Backup>(reference('unwanted'));
      const row = found?.status?.conditions?.find(({ type }) => type === 'Removed');
      if (row?.reason !== 'StoreRefused') throw new Error(JSON.stringify(found?.status));
      return row;
      // The Job controller waits longer before each of its tries.
    },
    400_000,
  );
  expect(await world.kube.read(reference('unwanted'))).toBeDefined();
});

test('a held backup is not removed by request, clock or schedule until it is released; once its removal has begun it cannot be held', async () => {
  succeeding();
  const hold = { reason: 'case 7', by: 'ada', at: '2027-01-31T12:00:00Z' };
  await backUp('held');
  await until('held', 'True', 'Completed');
  await change('held', { hold });
  await expect(change('held', { removeRequested: true })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('release it first') as unknown,
  });
  await change('held', { expiresAt: '2020-01-01T00:00:00Z', reclaimPolicy: 'Delete' });
  await backUp('z-newest');
  await until('z-newest', 'True', 'Completed');
  // Its neighbour without a hold goes by the same clock.
  await backUp('not-held');
  await until('not-held', 'True', 'Completed');
  await backUp('z-newest-2');
  await until('z-newest-2', 'True', 'Completed');
  await change('not-held', { expiresAt: '2020-01-01T00:00:00Z', reclaimPolicy: 'Delete' });
  await untilGone('not-held');
  const kept = await world.kube.read<Backup>(reference('held'));
  expect(kept?.status?.removalBegunAt).toBeUndefined();

  says = () => ({
    exitCode: 1,
    message: JSON.stringify({ error: 'store_refused', message: 'no right' }),
  });
  await change('held', { hold: null });
  await eventually('its removal begins', async () => {
    const now = await world.kube.read<Backup>(reference('held'));
    return now?.status?.removalBegunAt;
  });
  await expect(change('held', { hold })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('has begun') as unknown,
  });
});

test('a backup to which a database is about to go back is removed as soon as that is over, without another event', async () => {
  succeeding();
  for (const name of ['wanted', 'not-wanted', 'made-before']) await backUp(name);
  const { status } = await until('wanted', 'True', 'Completed');
  for (const name of ['not-wanted', 'made-before']) await until(name, 'True', 'Completed');
  const say = (returnsTo: string | null) =>
    world.kube.mergePatch<Backup>(
      reference('made-before'),
      { metadata: { annotations: { [annotations.returnsTo]: returnsTo } } },
      { fieldManager: 'test' },
    );
  await say(writtenReturn({ backupId: status?.backupId ?? '' }, Date.now() + 1_800_000));
  for (const name of ['wanted', 'not-wanted']) await change(name, { removeRequested: true });
  await untilGone('not-wanted');
  const kept = await world.kube.read<Backup>(reference('wanted'));
  expect(kept?.status?.removalBegunAt).toBeUndefined();
  await say(null);
  await untilGone('wanted');
});

test('a backup that ends by the clock outlives it as long as it is the newest good one', async () => {
  succeeding();
  await backUp('old');
  await until('old', 'True', 'Completed');
  await change('old', { expiresAt: '2020-01-01T00:00:00Z' });
  const [before] = [await world.kube.read<Backup>(reference('old'))];
  expect(before).toBeDefined();
  await backUp('z-newer');
  await until('z-newer', 'True', 'Completed');
  await change('old', { verifyRequestedAt: '2020-01-01T00:00:00Z' });
  await untilGone('old');
  expect(await world.kube.read(reference('z-newer'))).toBeDefined();
});

test('a damaged backup is found out by the test that was asked for', async () => {
  succeeding();
  await backUp('doubtful');
  await untilVerified('doubtful', 'Unknown', 'NotVerified');
  const message = 'rows/1: its rows are damaged';
  says = () => ({ exitCode: 1, message: JSON.stringify({ error: 'object_damaged', message }) });
  await change('doubtful', { verifyRequestedAt: new Date().toISOString() });
  const found = await untilVerified('doubtful', 'False', 'ArchiveDamaged');
  expect(found.status).toMatchObject({ verification: { passed: false } });
  expect(found.status?.lastVerifiedAt).toBeUndefined();
  expect(JSON.stringify(found.status?.conditions)).toContain(message);
});

test('a backup outlives its database, is proven by the log, and is removed without it', async () => {
  succeeding();
  await world.createDatabase('default', 'leaving', {});
  await world.until('default', 'leaving', 'Ready', 'True');
  await backUp('left', 'leaving');
  await until('left', 'True', 'Completed');
  await world.deleteDatabase('default', 'leaving');
  await eventually('it is gone', async () =>
    (await world.database('default', 'leaving')) === undefined ? true : undefined,
  );
  const proof = { replayedFrom: 100, replaySeconds: 0.5 };
  const passed = JSON.stringify({ ...made, ...proof, backupId: 'bkp_x' });
  says = () => ({ exitCode: 0, message: passed });
  await change('left', { verifyRequestedAt: new Date().toISOString() });
  const { status } = await untilVerified('left', 'True', 'Passed');
  expect(status).toMatchObject({ verification: { passed: true, ...proof } });
  expect(status?.lastReplayedAt).toBe(status?.verification?.completedAt);
  expect(argsOf('left', 'verify')).toContain('--scratch=/data');
  // Pods of earlier tests' schedules prove their backups beside this one.
  expect(podOf('left', 'verify')?.spec?.volumes?.[0]).toEqual({
    name: 'data',
    emptyDir: { sizeLimit: '513Mi' },
  });
  await change('left', { removeRequested: true });
  await untilGone('left');
  expect(argsOf('left', 'remove')).toContain('remove-backup');
});

test('a backup ends when its database is deleted meanwhile, and never takes another database of that name for it', async () => {
  const ends = new Set<string>();
  world.kubelet.ending = (pod) => {
    pods.push(pod);
    const backup = pod.metadata?.labels?.[labels.backup];
    if (backup === undefined) return undefined;
    if (!ends.has(backup)) throw new Error(`${backup} is at work`);
    return { exitCode: 0, message: JSON.stringify({ ...made, backupId: 'bkp_x' }) };
  };
  await world.createDatabase('default', 'namesake', {});
  const before = await world.until('default', 'namesake', 'Ready', 'True');
  await backUp('at-work', 'namesake');
  await until('at-work', 'Unknown', 'Running');
  await operator.stop();
  const asked = { [labels.databaseId]: before.status?.databaseId ?? '' };
  await backUp('queued', 'namesake', asked);
  await world.deleteDatabase('default', 'namesake');
  operator = await start();
  await eventually('it is gone', async () =>
    (await world.database('default', 'namesake')) === undefined ? true : undefined,
  );
  await world.createDatabase('default', 'namesake', {});
  await world.until('default', 'namesake', 'Stalled', 'True', 'VolumesRetained');
  const { databaseId: earlier = '' } = before.status ?? {};
  await world.patchDatabase('default', 'namesake', {
    metadata: { annotations: { [annotations.beginEmpty]: earlier } },
  });
  const after = await world.until('default', 'namesake', 'Ready', 'True');
  expect(after.status?.databaseId).not.toBe(before.status?.databaseId);
  await until('queued', 'False', 'DatabaseNotFound');
  ends.add('at-work');
  const backup = await until('at-work', 'True', 'Completed');
  expect(backup.status?.databaseId).toBe(before.status?.databaseId);
  const databases = pods.flatMap(({ spec }) => spec?.containers[0]?.args ?? []);
  expect(databases).not.toContain(`--database=${after.status?.databaseId}`);

  // Its Job is gone, too.
  await backUp('lost', 'namesake');
  await until('lost', 'Unknown', 'Running');
  await world.deleteDatabase('default', 'namesake');
  await eventually('it is gone', async () =>
    (await world.database('default', 'namesake')) === undefined ? true : undefined,
  );
  for (const { metadata } of await list<Job>(resources.job)) {
    if (metadata.ownerReferences?.some(({ name }) => name === 'lost') !== true) continue;
    const { namespace, name = '', uid = '' } = metadata;
    await world.kube.delete(
      { resource: resources.job, namespace, name },
      { uid, propagationPolicy: 'Background' },
    );
  }
  await until('lost', 'False', 'DatabaseNotFound');
});

test('under BackupThenDelete the last backup is of the closed file, and the volumes go once it has succeeded', async () => {
  succeeding();
  await world.createDatabase('default', 'final', { deletionPolicy: 'BackupThenDelete' });
  const database = await world.until('default', 'final', 'Ready', 'True');
  await world.deleteDatabase('default', 'final');
  await eventually('it is gone', async () =>
    (await world.database('default', 'final')) === undefined ? true : undefined,
  );
  const name = `${database.status?.workload}-final`;
  const backup = await until(name, 'True', 'Completed');
  expect(backup.spec).toMatchObject({ type: 'Final', reclaimPolicy: 'Retain' });
  expect(argsOf(name, 'backup')).toContain('--stopped');
  // A volume that is deleted goes once the pod that had it has.
  await eventually('the volumes are gone', async () => {
    const claims = await list(resources.claim);
    const own = claims.filter(({ metadata }) => metadata.labels?.[labels.database] === 'final');
    expect(own).toEqual([]);
    return true;
  });
});

test('under BackupThenDelete the last backup of several replicas has them take no more writes, and asks with their certificates', async () => {
  succeeding();
  const spec = { deletionPolicy: 'BackupThenDelete', topology: 'ha-3', size: 'lh-10' } as const;
  await world.createDatabase('default', 'final-three', spec);
  const { status, metadata } = await world.until('default', 'final-three', 'Ready', 'True');
  const workload = status?.workload ?? '';
  // One of type Final of a database that is not deleted lets it take writes.
  const early = {
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerBackup',
    metadata: { name: 'too-early', namespace: 'default' },
    spec: { database: 'final-three', type: 'Final' },
  };
  await world.kube.create(resources.backup, early as unknown as Backup, { fieldManager: 'test' });
  await until('too-early', 'True', 'Completed');
  expect(argsOf('too-early', 'backup')).toContain('--op-min=99');
  await world.deleteDatabase('default', 'final-three');
  await until(`${workload}-final`, 'True', 'Completed');
  const args = argsOf(`${workload}-final`, 'backup');
  expect(args).toEqual(
    expect.arrayContaining([
      '--last',
      expect.stringMatching(/^--peer-addresses=([\d.]+:3003,){2}[\d.]+:3003$/),
      `--peer-name=${metadata.uid}`,
    ]),
  );
  const pod = pods.find((one) => one.metadata?.labels?.[labels.backup] === `${workload}-final`);
  const folder = args?.find((one) => one.startsWith('--peer-certificates='))?.split('=')[1];
  expect(pod?.spec?.containers[0]?.volumeMounts).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ mountPath: '/data', readOnly: true }),
      expect.objectContaining({ mountPath: folder, readOnly: true }),
    ]),
  );
  await eventually('it is gone', async () =>
    (await world.database('default', 'final-three')) === undefined ? true : undefined,
  );
});

test('an upgrade waits for its backup', async () => {
  succeeding();
  await world.createDatabase('default', 'rising', { version: '0.1.0' });
  await world.until('default', 'rising', 'Ready', 'True');
  await world.patchDatabase('default', 'rising', { spec: { version: '0.2.0' } });
  const { status } = await eventually('the upgrade', async () => {
    const found = await world.database('default', 'rising');
    if (found?.status?.version?.active !== '0.2.0') throw new Error(JSON.stringify(found?.status));
    return found;
  });
  expect(status?.preChange).toMatchObject({ version: '0.2.0', result: 'Completed' });
  const backup = await world.kube.read<Backup>(reference(status?.preChange?.backup ?? ''));
  expect(backup?.spec).toMatchObject({ database: 'rising', type: 'PreChange' });
});

test('a schedule that cannot be followed says why', async () => {
  await follow('wrong-zone', { timeZone: 'Europe/Atlantis' });
  await untilSchedule('wrong-zone', 'InvalidSchedule');
  await follow('nobody', { database: 'nobody' });
  await untilSchedule('nobody', 'DatabaseNotFound');
  await follow('resting', { suspend: true, immediate: true });
  const { status } = await untilSchedule('resting', 'Suspended');
  expect(status?.lastBackup).toBeUndefined();
});

const bootstrap = {
  backup: {
    databaseId: 'db_01h455vb4pex5vsknk084sn02q',
    backupId: 'bkp_01h455vb4pex5vsknk084sn02q',
  },
};

test('a database begins with a backup in all of its replicas, under a cluster id of its own', async () => {
  await world.createDatabase('default', 'again', { bootstrap, topology: 'ha-3', size: 'lh-10' });
  const database = await world.until('default', 'again', 'Ready', 'True');
  // A Job of an earlier test's database may still make its pods.
  const restores = pods.filter(({ metadata }) => metadata?.name?.startsWith('again-'));
  const engines = restores.flatMap(
    ({ spec }) => spec?.initContainers?.filter(({ name }) => name === 'engine') ?? [],
  );
  const indexes = [0, 1, 2];
  for (const index of indexes) {
    const container = engines.find(({ args }) => args?.includes(`--replica=${index}`));
    expect(container?.args).toEqual([
      'restore-backup',
      '--store=s3://backups/house',
      '--endpoint=http://s3.example:7070',
      '--region=eu-1',
      '--credentials=/store',
      `--database=${bootstrap.backup.databaseId}`,
      `--backup=${bootstrap.backup.backupId}`,
      `--cluster=${database.status?.clusterId}`,
      `--replica=${index}`,
      '--replica-count=3',
      `/data/${database.status?.clusterId}_${index}.ledger.partial`,
    ]);
  }
  expect(restores[0]?.metadata?.labels).toMatchObject({ [labels.usesStore]: 'true' });
});

test('a database begins as another was at a moment, which is named in one way', async () => {
  const { databaseId } = bootstrap.backup;
  const time = '2027-01-31T12:02:59.5Z';
  const at = { backup: { databaseId, targetTime: time } };
  await world.createDatabase('default', 'as-it-was', { bootstrap: at });
  await world.until('default', 'as-it-was', 'Ready', 'True');
  const made = pods.find(({ metadata }) => metadata?.name?.startsWith('as-it-was-'));
  const [, engine] = made?.spec?.initContainers ?? [];
  expect(engine?.args?.slice(0, 7)).toEqual([
    'restore-backup',
    '--store=s3://backups/house',
    '--endpoint=http://s3.example:7070',
    '--region=eu-1',
    '--credentials=/store',
    `--database=${databaseId}`,
    `--to-time=${time}`,
  ]);
  for (const wrong of [
    { databaseId },
    { ...bootstrap.backup, targetOp: 7 },
    { databaseId, targetOp: 7, targetTimestamp: '7' },
  ]) {
    const refused = world.createDatabase('default', 'two-moments', {
      bootstrap: { backup: wrong },
    });
    await expect(refused).rejects.toThrow(/name a backup .* or a moment/);
  }
});

const beetle = { engine: 'TigerBeetle', topology: 'single', size: 'lh-40', bootstrap } as const;
const policyOf = async (workload = '') =>
  world.kube.read<NetworkPolicy & KubeObject>({
    resource: resources.networkPolicy,
    namespace: 'default',
    name: workload,
  });
const fillEnds = (end: 'runs' | ReturnType<typeof ending>) => {
  world.kubelet.ending = (pod) => {
    const isFill = pod.metadata?.labels?.[jobNameLabel]?.endsWith('-fill') === true;
    const ended = ending(pod);
    return isFill ? end : ended;
  };
};

test('a database of TigerBeetle serves nobody until a Job has filled it with its backup', async () => {
  fillEnds('runs');
  await world.createDatabase('default', 'filled', beetle);
  const running = await eventually('the Job that fills it', async () => {
    const pod = pods.find(({ metadata }) => metadata?.labels?.[jobNameLabel]?.endsWith('-fill'));
    if (pod === undefined) throw new Error('there is none');
    return pod;
  });
  const { status } = await world.until(
    'default',
    'filled',
    'Available',
    'False',
    'NotBootstrapped',
  );
  expect(status).toMatchObject({ bootstrapped: true, filled: false });
  expect(running.spec?.containers[0]?.args).toEqual([
    'restore-cluster',
    '--store=s3://backups/house',
    '--endpoint=http://s3.example:7070',
    '--region=eu-1',
    '--credentials=/store',
    `--database=${bootstrap.backup.databaseId}`,
    `--backup=${bootstrap.backup.backupId}`,
    `--cluster=${status?.clusterId}`,
    `--addresses=${status?.addresses}`,
    '--result=/dev/termination-log',
    '/data',
  ]);
  const label = connectLabel('filled');
  expect(JSON.stringify(await policyOf(status?.workload))).not.toContain(label);
  const addresses = {
    resource: resources.configMap,
    namespace: 'default',
    name: 'filled-connection',
  };
  expect(await world.kube.read(addresses)).toBeUndefined();

  fillEnds({ exitCode: 0, message: '{}' });
  const opened = await world.until('default', 'filled', 'Available', 'True');
  expect(opened.status).toMatchObject({ filled: true });
  await eventually('clients are let in, and told where it is', async () => {
    const isOpen = JSON.stringify(await policyOf(status?.workload)).includes(label);
    return isOpen ? await world.kube.read(addresses) : undefined;
  });
  world.kubelet.ending = ending;
});

test('a database that cannot begin with a backup never begins empty', async () => {
  const timeouts = { error: 'timeouts_open', message: 'Pending transfers are open.' };
  world.kubelet.ending = (pod) =>
    pod.metadata?.labels?.[jobNameLabel]?.endsWith('-fill-check') === true
      ? { exitCode: 1, message: JSON.stringify(timeouts) }
      : ending(pod);
  await world.createDatabase('default', 'wrong', beetle);
  const { status } = await world.until('default', 'wrong', 'Stalled', 'True', 'FillFailed');
  expect(JSON.stringify(status?.conditions)).toContain('timeouts_open: Pending transfers');
  expect(status?.bootstrapped).not.toBe(true);
  world.kubelet.ending = ending;
  const volumes = { databaseId: bootstrap.backup.databaseId };
  const both = world.createDatabase('default', 'both', { bootstrap: { ...bootstrap, volumes } });
  await expect(both).rejects.toThrow(/with volumes, with a backup or with an import/);
});

const imported = { import: { importId: 'from-elsewhere', clusterId: '77' } };

test('a database begins with exported files, one for each replica, under a cluster id of its own', async () => {
  const spec = { bootstrap: imported, topology: 'ha-3', size: 'lh-10' } as const;
  await world.createDatabase('default', 'imported', spec);
  const database = await world.until('default', 'imported', 'Ready', 'True');
  expect(database.status?.clusterId).not.toBe('77');
  // A Job of an earlier test's database may still make its pods.
  const makers = pods.filter(({ metadata }) => metadata?.name?.startsWith('imported-'));
  const engines = makers.flatMap(
    ({ spec: pod }) => pod?.initContainers?.filter(({ name }) => name === 'engine') ?? [],
  );
  for (const index of [0, 1, 2]) {
    const container = engines.find(({ args }) => args?.includes(`--replica=${index}`));
    expect(container?.args).toEqual([
      'restore-import',
      '--store=s3://backups/house',
      '--endpoint=http://s3.example:7070',
      '--region=eu-1',
      '--credentials=/store',
      '--import=from-elsewhere',
      '--from-cluster=77',
      // The first replica runs alone, and the others are told what it found.
      ...(index === 0 ? [] : [`--state=${installed}`]),
      `--cluster=${database.status?.clusterId}`,
      `--replica=${index}`,
      '--replica-count=3',
      `/data/${database.status?.clusterId}_${index}.ledger.partial`,
    ]);
    expect(container?.volumeMounts).toContainEqual({
      name: 'store',
      mountPath: '/store',
      readOnly: true,
    });
  }
  expect(makers[0]?.metadata?.labels).toMatchObject({ [labels.usesStore]: 'true' });
  // No replica has the credentials.
  const sets = await list<StatefulSet>(resources.statefulSet);
  const replicas = sets.find(({ metadata }) => metadata?.name?.startsWith('imported-'));
  expect(replicas?.spec?.template.spec?.containers).not.toEqual([]);
  expect(JSON.stringify(replicas?.spec?.template)).not.toContain('-store-');
});

test('a database of TigerBeetle begins with the files of its replicas, which our program copies, under their cluster id', async () => {
  const spec = { engine: 'TigerBeetle', topology: 'ha-3', size: 'lh-40' } as const;
  await world.createDatabase('default', 'beetles', { ...spec, bootstrap: imported });
  const database = await world.until('default', 'beetles', 'Available', 'True');
  expect(database.status?.clusterId).toBe('77');
  const makers = pods.filter(({ metadata }) => metadata?.name?.startsWith('beetles-'));
  const engines = makers.flatMap(
    ({ spec: pod }) => pod?.initContainers?.filter(({ name }) => name === 'engine') ?? [],
  );
  for (const index of [0, 1, 2]) {
    const container = engines.find(({ args }) => args?.includes(`--replica=${index}`));
    expect(container?.args).toEqual(
      expect.arrayContaining(['fetch-import', '--import=from-elsewhere', '--cluster=77']),
    );
    expect(container?.args?.at(-1)).toBe(`/data/77_${index}.tigerbeetle.partial`);
    expect(container?.image).not.toContain('tigerbeetle');
  }
});

test('a database that cannot begin with an import never begins empty', async () => {
  const beetle = {
    engine: 'TigerBeetle',
    topology: 'single',
    size: 'lh-40',
    clusterId: '78',
    bootstrap: imported,
  } as const;
  await world.createDatabase('default', 'beetle-files', beetle);
  await world.until('default', 'beetle-files', 'Stalled', 'True', 'ImportUnavailable');
  const both = world.createDatabase('default', 'two-origins', {
    bootstrap: { ...bootstrap, ...imported },
  });
  await expect(both).rejects.toThrow(/with volumes, with a backup or with an import/);
  const upward = world.createDatabase('default', 'upward', {
    bootstrap: { import: { importId: '../db_1', clusterId: '7' } },
  });
  await expect(upward).rejects.toThrow(/importId/);
  const large = { importId: 'x', clusterId: '340282366920938463463374607431768211456' };
  await expect(
    world.createDatabase('default', 'large', { bootstrap: { import: large } }),
  ).rejects.toThrow(/must be less than 2\^128/);
});
