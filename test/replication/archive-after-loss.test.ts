/**
 * Continuous archiving after volumes are lost: a replica that was made again leads and is archived, and a survivor's state begins
 * another database with an archive of its own.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Client } from '../../engine/client/client.ts';
import { createEtcdClient } from '../../engine/log/replicated/etcd-client.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { TestArchiver } from '../support/engine/archiver.ts';
import { engineProgram } from '../support/engine/engine.ts';
import { accountBytes, create, created, transferBytes } from '../support/engine/ledger.ts';
import { eventually, mustRun, shell } from '../support/shell.ts';
import { S3Server } from '../support/store/s3-server.ts';
import { ReplicaGroup, type ReplicaGroupOptions } from './replica-group.ts';

jest.setTimeout(30 * 60_000);

let folder = '';
let server: S3Server;
let disposals: (() => Promise<void>)[] = [];
beforeAll(() => ensureProgram('etcd'), 15 * 60_000);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-archived-'));
  server = await S3Server.start();
  disposals = [() => server.dispose()];
});
afterEach(async () => {
  for (const dispose of disposals.reverse()) await dispose();
  rmSync(folder, { recursive: true, force: true });
});

interface Moment {
  readonly op: number;
  readonly stateHash: string;
}

/** Three replicas with an archiver each, which send to the archive of one database. */
class Archived {
  readonly group: ReplicaGroup;
  readonly #id: string;
  readonly #client: Client;
  readonly #archivers: TestArchiver[] = [];

  private constructor(group: ReplicaGroup, id: string) {
    this.group = group;
    this.#id = id;
    this.#client = group.connect(180_000);
  }

  static async start(id: string, options: ReplicaGroupOptions = {}): Promise<Archived> {
    const flags = ['--archive', ...(options.flags ?? [])];
    const group = await ReplicaGroup.start({ ...options, flags });
    disposals.push(() => group.dispose());
    await group.leader();
    const own = new Archived(group, id);
    disposals.push(() => own.#end());
    for (let replica = 0; replica < group.size; replica += 1) own.archive(replica);
    return own;
  }

  /** Starts the archiver of a replica whose pod is new: its spool is empty. */
  archive(replica: number): void {
    const engine = {
      folder: join(folder, this.#id, String(replica)),
      statusPort: this.group.statusPort(replica),
    };
    rmSync(engine.folder, { recursive: true, force: true });
    this.#archivers[replica] = new TestArchiver({ engine, store: this.#store }).start();
  }

  /** Kills a replica with everything in its pod, and takes its volume away. */
  async lose(replica: number): Promise<void> {
    const { group } = this;
    await this.#archivers[replica]?.end('SIGKILL');
    await group.killBoth(replica);
    const own = [group.path(replica), `${group.path(replica)}.member`];
    for (const path of [...own, group.etcd.dataFolder(replica)])
      rmSync(path, { recursive: true, force: true });
  }

  async makeAccounts(): Promise<void> {
    await create(this.#client, Operation.createAccounts, accountBytes([1n, 2n]));
  }

  /** Writes transfers of 1, one a request. */
  async write(first: number, last: number): Promise<void> {
    for (let id = first; id <= last; id += 1) {
      const one = { id: BigInt(id), debit: 1n, credit: 2n, amount: 1n };
      expect(await create(this.#client, Operation.createTransfers, transferBytes([one]))).toEqual([
        created,
      ]);
    }
  }

  /** Waits until the archive has all that the replicas have, which all have the same. */
  archivedAll(): Promise<Moment> {
    return eventually(
      'everything is archived',
      async () => {
        const { op, stateHash } = await this.group.level();
        const archive = (await this.group.status(await this.group.leader()))?.archive;
        if (archive?.archivedOp !== op || stateHash === undefined)
          throw new Error(`up to ${op}: ${JSON.stringify(archive)}`);
        return { op, stateHash };
      },
      600_000,
    );
  }

  async run<Said>(verb: string, ...args: readonly string[]): Promise<Said> {
    return JSON.parse(await mustRun(engineProgram, [verb, ...this.#store, ...args])) as Said;
  }

  async windows(): Promise<readonly object[]> {
    return (await this.run<{ readonly windows: readonly object[] }>('recovery-windows')).windows;
  }

  /** Restores an operation as a single replica's file. */
  restored(op: number): Promise<Moment & { readonly transfers: number }> {
    const path = join(folder, `${this.#id}-${op}.ledger`);
    const where = ['--cluster=9', '--replica=0', '--replica-count=1', path];
    return this.run('restore-backup', `--to-op=${op}`, ...where);
  }

  async #end(): Promise<void> {
    this.#client.close();
    for (const archiver of this.#archivers) await archiver.end('SIGKILL');
  }

  get #store(): readonly string[] {
    return server.flags(this.#id);
  }
}

/** Makes a replica lead by passing Raft's lead to its member. The one beside Raft's leader would take the lead back. */
async function passLead({ etcd, size }: ReplicaGroup, to: number): Promise<void> {
  const options = { timeoutMs: 10_000 };
  const members = Array.from({ length: size }, (_, member) =>
    createEtcdClient(etcd.target(member)),
  );
  try {
    const memberId = await members[to]?.status(options).then((status) => status.memberId);
    if (memberId === undefined) return;
    // Only the one that has it passes it on.
    for (const member of members) await member.moveLeader(memberId, options).catch(() => undefined);
  } finally {
    for (const member of members) member.close();
  }
}

test('a replica that was made again after its volume was lost leads, and its archiver goes on with the chain of the others', async () => {
  const own = await Archived.start('db_again');
  const { group } = own;
  await own.makeAccounts();
  await own.write(1, 10);
  const before = await own.archivedAll();
  const lost = await group.leader();
  await own.lose(lost);
  // The others go on, and are archived.
  await own.write(11, 20);
  await mustRun(engineProgram, [
    'recover',
    '--cluster=0',
    `--replica=${lost}`,
    `--replica-count=${group.size}`,
    `--peer-addresses=${group.peerAddresses.join(',')}`,
    '--peer-plain',
    `--member-url=${group.etcd.peerUrl(lost)}`,
    `--member-folder=${group.etcd.dataFolder(lost)}`,
    group.path(lost),
  ]);
  const joined = readFileSync(`${group.path(lost)}.initial-cluster`, 'utf8').trim();
  group.etcd.joins(lost, joined);
  group.startBoth(lost);
  own.archive(lost);
  // As in a pod, its etcd is restarted when it ends because a member that it asked does not know it yet.
  const restarting = setInterval(() => group.etcd.start(lost), 500);
  try {
    await group.joined(lost);
    await eventually(
      'it leads, and is archived',
      async () => {
        const leader = await group.leader();
        if (leader === lost) return (await group.status(lost))?.archive?.leads;
        // An engine that is well keeps the lead, whichever member has Raft's.
        await passLead(group, lost);
        await group.signal(leader, 'SIGKILL');
        group.start(leader);
        return undefined;
      },
      600_000,
    );
  } finally {
    clearInterval(restarting);
  }
  await own.write(21, 30);
  const now = await own.archivedAll();
  expect(await own.windows()).toMatchObject([
    { from: { op: 0 }, to: { op: now.op }, missingOps: 0 },
  ]);
  expect(await own.restored(before.op)).toMatchObject({ ...before, transfers: 10 });
  expect(await own.restored(now.op)).toMatchObject({ ...now, transfers: 30 });
});

test('a database that begins with the survivor of a lost majority archives into an archive of its own, and comes back at any moment from its first backup on; the old archive stays', async () => {
  const old = await Archived.start('db_old');
  await old.makeAccounts();
  await old.write(1, 25);
  const last = await old.archivedAll();
  const survivor = ((await old.group.leader()) + 1) % old.group.size;
  for (let replica = 0; replica < old.group.size; replica += 1)
    if (replica === survivor) await old.group.killBoth(replica);
    else await old.lose(replica);
  old.group.etcd.start(survivor, ['--force-new-cluster']);
  const salvaged = join(folder, 'survivor.ledger');
  await eventually('the survivor answers', async () => {
    const { code, stderr } = await shell(engineProgram, [
      'export',
      `--from=${old.group.path(survivor)}`,
      `--etcd=${old.group.etcd.target(survivor)}`,
      salvaged,
    ]);
    if (code !== 0) throw new Error(stderr);
    return true;
  });
  const again = await Archived.start('db_new', { from: salvaged, flags: ['--incarnation=2'] });
  await again.write(26, 30);
  const first = await again.archivedAll();
  // The log begins after what the survivor had: a restore needs a backup, which the operator makes.
  expect(first.op).toBeGreaterThan(last.op);
  const follower = ((await again.group.leader()) + 1) % again.group.size;
  const { op: base } = await again.run<Moment>(
    'backup',
    '--id=base',
    `--status-address=127.0.0.1:${again.group.statusPort(follower)}`,
    again.group.path(follower),
  );
  await again.write(31, 35);
  const between = await again.archivedAll();
  await again.write(36, 40);
  const now = await again.archivedAll();
  expect(await again.windows()).toMatchObject([
    { from: { op: base }, to: { op: now.op }, missingOps: 0 },
  ]);
  expect(await again.restored(between.op)).toMatchObject({ ...between, transfers: 35 });
  expect(await again.restored(now.op)).toMatchObject({ ...now, transfers: 40 });
  expect(await old.windows()).toMatchObject([
    { from: { op: 0 }, to: { op: last.op }, missingOps: 0 },
  ]);
  expect(await old.restored(last.op)).toMatchObject({ ...last, transfers: 25 });
});
