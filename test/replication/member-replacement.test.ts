/**
 * Volumes that are lost, data file and etcd's folder together, on three real processes with their members: replaced while an
 * official client writes, by way of whoever leads.
 */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client } from 'tigerbeetle-node';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { engineProgram } from '../support/engine.ts';
import { eventually, shell, type Ended } from '../support/shell.ts';
import { ReplicaGroup } from './replica-group.ts';
import { accountOf, Writer } from './writer.ts';

jest.setTimeout(180_000);

const created = 0xffff_ffff;
let group: ReplicaGroup | undefined;
let clients: Client[] = [];
beforeAll(() => ensureProgram('etcd'), 15 * 60_000);
afterEach(async () => {
  for (const client of clients) client.destroy();
  clients = [];
  await group?.dispose();
  group = undefined;
});

async function started(): Promise<ReplicaGroup> {
  group = await ReplicaGroup.start();
  await group.leader();
  return group;
}

async function writing(made: ReplicaGroup): Promise<Writer> {
  const client = createClient({ cluster_id: 0n, replica_addresses: [...made.addresses] });
  clients.push(client);
  const results = await client.createAccounts([accountOf(1n), accountOf(2n)]);
  expect(results.map(({ status }) => status)).toEqual([created, created]);
  return new Writer(client);
}

async function goesOn(writer: Writer): Promise<void> {
  const goal = writer.acknowledged + 10n;
  await eventually('writes go on', async () => writer.acknowledged >= goal || undefined);
}

/** What is on the replica's volume. */
const volume = (made: ReplicaGroup, replica: number): readonly string[] => [
  made.path(replica),
  `${made.path(replica)}.member`,
  made.etcd.dataFolder(replica),
];

async function loseVolume(made: ReplicaGroup, replica: number): Promise<void> {
  await made.killBoth(replica);
  for (const path of volume(made, replica)) rmSync(path, { recursive: true, force: true });
}

function recover(
  made: ReplicaGroup,
  replica: number,
  { path, folder } = { path: made.path(replica), folder: made.etcd.dataFolder(replica) },
): Promise<Ended> {
  return shell(engineProgram, [
    'recover',
    '--cluster=0',
    `--replica=${replica}`,
    `--replica-count=${made.size}`,
    `--peer-addresses=${made.peerAddresses.join(',')}`,
    `--member-url=${made.etcd.peerUrl(replica)}`,
    `--member-folder=${folder}`,
    path,
  ]);
}

function startReplaced(made: ReplicaGroup, replica: number, { code, stderr }: Ended): void {
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const joined = readFileSync(`${made.path(replica)}.initial-cluster`, 'utf8').trim();
  made.etcd.joins(replica, joined);
  made.startBoth(replica);
}

/** Nothing acknowledged is lost, and all replicas hold the same. */
async function expectWhole(made: ReplicaGroup, writer: Writer): Promise<void> {
  await writer.stop();
  const { transfers } = await made.level();
  expect(BigInt(transfers)).toBe(writer.acknowledged);
}

test('volumes of a follower and a leader are lost: both come back while writes go on', async () => {
  const made = await started();
  const writer = await writing(made);
  await goesOn(writer);
  const follower = ((await made.leader()) + 1) % made.size;
  await loseVolume(made, follower);
  // The first Job died before the data file was there: all of it once more.
  expect((await recover(made, follower)).code).toBe(0);
  rmSync(made.path(follower));
  startReplaced(made, follower, await recover(made, follower));
  await made.joined(follower);
  await goesOn(writer);
  const leader = await made.leader();
  await loseVolume(made, leader);
  startReplaced(made, leader, await recover(made, leader));
  await made.joined(leader);
  await goesOn(writer);
  // Each of the new ones has a vote: the one that was always there can go.
  const old = [0, 1, 2].find((replica) => replica !== leader && replica !== follower)!;
  await made.killBoth(old);
  await goesOn(writer);
  made.startBoth(old);
  await expectWhole(made, writer);
});

test('the leader dies while a member is replaced: the next one goes on with it', async () => {
  const made = await started();
  const writer = await writing(made);
  await goesOn(writer);
  const leader = await made.leader();
  const lost = (leader + 1) % made.size;
  await loseVolume(made, lost);
  const asked = recover(made, lost);
  // Silence is believed after three seconds: about now the old member is removed, and the new one added.
  await sleep(3000);
  await made.killBoth(leader);
  await sleep(500);
  made.startBoth(leader);
  startReplaced(made, lost, await asked);
  await made.joined(lost);
  await goesOn(writer);
  await expectWhole(made, writer);
});

test('who lives is not replaced; a volume that was replaced and comes back is refused and says why', async () => {
  const made = await started();
  // Nothing is logged in this one: a state without an operation is a state, too.
  const lost = ((await made.leader()) + 1) % made.size;
  expect(await recover(made, lost)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exists: this replica is not lost'),
  });
  const other = `${made.path(lost)}.other`;
  const alive = await recover(made, lost, { path: other, folder: `${other}-member` });
  expect(alive).toMatchObject({ code: 1, stderr: expect.stringMatching(/replica \d lives/) });
  expect(existsSync(other)).toBe(false);
  await made.killBoth(lost);
  for (const [index, path] of volume(made, lost).entries())
    cpSync(path, `${other}/${index}`, { recursive: true });
  await loseVolume(made, lost);
  startReplaced(made, lost, await recover(made, lost));
  await made.joined(lost);
  await loseVolume(made, lost);
  for (const [index, path] of volume(made, lost).entries())
    cpSync(`${other}/${index}`, path, { recursive: true });
  made.startBoth(lost);
  await eventually('it is halted', async () => {
    const status = await made.status(lost);
    return status?.warnings.includes('Halted') || undefined;
  });
  expect(made.etcd.isRunning(lost)).toBe(false);
  const log = readFileSync(`${made.etcd.folder}/engine${lost}.log`, 'utf8');
  expect(log).toContain('This replica was replaced');
  // The others go on.
  const writer = await writing(made);
  await goesOn(writer);
  await writer.stop();
});

test('a member whose folder alone is lost is replaced, and the data file stays', async () => {
  const made = await started();
  const writer = await writing(made);
  await goesOn(writer);
  const lost = ((await made.leader()) + 1) % made.size;
  await made.signal(lost, 'SIGTERM');
  await made.etcd.signal(lost, 'SIGKILL');
  rmSync(made.etcd.dataFolder(lost), { recursive: true });
  startReplaced(made, lost, await recover(made, lost));
  await made.joined(lost);
  await goesOn(writer);
  await expectWhole(made, writer);
  const log = readFileSync(`${made.etcd.folder}/engine${lost}.log`, 'utf8');
  expect(log.match(/"op":[1-9]\d*,.*"data file loaded"/g)).toHaveLength(1);
});
