/**
 * Volumes that are lost, data file and etcd's folder together, on three real processes with their members: replaced while an
 * official client writes, by the leader.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client } from 'tigerbeetle-node';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { engineProgram } from '../support/engine/engine.ts';
import { eventually, mustRun, shell, type Ended } from '../support/shell.ts';
import { ReplicaGroup } from './replica-group.ts';
import { accountOf, Writer } from './writer.ts';

jest.setTimeout(30 * 60_000);

/** One cluster for all tests, which leave it complete; from the second test on a client writes. */
let made: ReplicaGroup;
let client: Client;
let writer: Writer;
beforeAll(async () => {
  await ensureProgram('etcd');
  made = await ReplicaGroup.start();
  await made.leader();
}, 15 * 60_000);
afterAll(async () => {
  client?.destroy();
  await made?.dispose();
});

async function goesOn(): Promise<void> {
  const goal = writer.acknowledged + 10n;
  await eventually('writes go on', async () => writer.acknowledged >= goal || undefined);
}

/** Paths on the replica's volume. */
const volume = (replica: number): readonly string[] => [
  made.path(replica),
  `${made.path(replica)}.member`,
  made.etcd.dataFolder(replica),
];

async function loseVolume(replica: number): Promise<void> {
  await made.killBoth(replica);
  for (const path of volume(replica)) rmSync(path, { recursive: true, force: true });
}

/** Moves a volume to a folder, or back from it. The replica must not run. */
function moveVolume(replica: number, folder: string, back = false): void {
  mkdirSync(folder, { recursive: true });
  for (const [index, path] of volume(replica).entries()) {
    const aside = join(folder, String(index));
    if (back) rmSync(path, { recursive: true, force: true });
    renameSync(back ? aside : path, back ? path : aside);
  }
}

function recover(
  replica: number,
  { path, folder } = { path: made.path(replica), folder: made.etcd.dataFolder(replica) },
): Promise<Ended> {
  return shell(engineProgram, [
    'recover',
    '--cluster=0',
    `--replica=${replica}`,
    `--replica-count=${made.size}`,
    `--peer-addresses=${made.peerAddresses.join(',')}`,
    '--peer-plain',
    `--member-url=${made.etcd.peerUrl(replica)}`,
    `--member-folder=${folder}`,
    path,
  ]);
}

function startReplaced(replica: number, { code, stderr }: Ended): void {
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const joined = readFileSync(`${made.path(replica)}.initial-cluster`, 'utf8').trim();
  made.etcd.joins(replica, joined);
  made.startBoth(replica);
}

/** Starts a replica. As in a pod, its etcd is restarted when it ends because a member that it asked does not know it yet. */
async function joins(replica: number): Promise<void> {
  const restarting = setInterval(() => made.etcd.start(replica), 500);
  try {
    await made.joined(replica);
  } finally {
    clearInterval(restarting);
  }
}

test('a living member is not replaced; a replaced volume that comes back is refused with the reason', async () => {
  // Nothing is logged yet: a state without an operation is a state, too.
  const lost = ((await made.leader()) + 1) % made.size;
  expect(await recover(lost)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exists: this replica is not lost'),
  });
  const other = `${made.path(lost)}.other`;
  const alive = await recover(lost, { path: other, folder: `${other}-member` });
  expect(alive).toMatchObject({ code: 1, stderr: expect.stringMatching(/replica \d is alive/) });
  expect(existsSync(other)).toBe(false);
  const [old, now] = [join(made.etcd.folder, 'old'), join(made.etcd.folder, 'now')];
  await made.killBoth(lost);
  moveVolume(lost, old);
  startReplaced(lost, await recover(lost));
  await joins(lost);
  await made.killBoth(lost);
  moveVolume(lost, now);
  moveVolume(lost, old, true);
  made.startBoth(lost);
  await eventually('it is halted', async () => {
    const status = await made.status(lost);
    return status?.warnings.includes('Halted') || undefined;
  });
  await eventually('its member has ended', async () => !made.etcd.isRunning(lost) || undefined);
  // A process's output is on the disk a moment later.
  await eventually('it says why', async () => {
    const log = readFileSync(`${made.etcd.folder}/engine${lost}.log`, 'utf8');
    return log.includes('This replica was replaced') || undefined;
  });
  await made.killBoth(lost);
  moveVolume(lost, now, true);
  made.startBoth(lost);
  await made.joined(lost);
});

test('volumes of a follower and a leader are lost: both come back while writes go on', async () => {
  client = createClient({ cluster_id: 0n, replica_addresses: [...made.addresses] });
  await client.createAccounts([accountOf(1n), accountOf(2n)]);
  writer = new Writer(client);
  await goesOn();
  const follower = ((await made.leader()) + 1) % made.size;
  await loseVolume(follower);
  // The first Job died before the data file was written: the whole procedure runs again.
  expect((await recover(follower)).code).toBe(0);
  rmSync(made.path(follower));
  startReplaced(follower, await recover(follower));
  await joins(follower);
  await goesOn();
  const leader = await made.leader();
  await loseVolume(leader);
  startReplaced(leader, await recover(leader));
  await joins(leader);
  await goesOn();
  // Each new member has a vote: the member that was always there can go.
  const old = [0, 1, 2].find((replica) => replica !== leader && replica !== follower)!;
  await made.killBoth(old);
  await goesOn();
  made.startBoth(old);
  await made.joined(old);
});

test('the leader dies while a member is replaced: the next one goes on with it', async () => {
  const leader = await made.leader();
  const lost = (leader + 1) % made.size;
  await loseVolume(lost);
  const asked = recover(lost);
  // Silence is believed after three seconds: about now the old member is removed, and the new one added.
  await sleep(3000);
  await made.killBoth(leader);
  await sleep(500);
  made.startBoth(leader);
  startReplaced(lost, await asked);
  await joins(lost);
  await goesOn();
});

test('a member whose folder alone is lost is replaced, and the data file stays', async () => {
  const lost = ((await made.leader()) + 1) % made.size;
  await made.signal(lost, 'SIGTERM');
  await made.etcd.signal(lost, 'SIGKILL');
  const before = (await mustRun(engineProgram, ['inspect', made.path(lost)])).split('\n');
  rmSync(made.etcd.dataFolder(lost), { recursive: true });
  // The folder of a member that ended before the others knew it: it does not count as a member that has begun.
  mkdirSync(join(made.etcd.dataFolder(lost), 'member', 'snap'), { recursive: true });
  const recovered = await recover(lost);
  const after = (await mustRun(engineProgram, ['inspect', made.path(lost)])).split('\n');
  expect(after).toEqual(before);
  startReplaced(lost, recovered);
  await joins(lost);
  await goesOn();
});

test('nothing that was acknowledged is lost, and all replicas hold the same', async () => {
  await writer.stop();
  const { transfers } = await made.level();
  expect(BigInt(transfers)).toBe(writer.acknowledged);
});
