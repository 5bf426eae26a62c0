/**
 * Three real engines and members of etcd, a client that writes, and a replica whose data file is damaged, a kind of table after the
 * other, while it is stopped and while it runs:
 *
 *   node test/soak/rot.ts [--transfers=40000]
 *
 * It must start with what the others have, mend pages instead of fetching the whole state, and have the state of the others in the end.
 */
import { strict as assert } from 'node:assert';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from 'tigerbeetle-node';
import { TableId } from '../../engine/ledger/checkpoint-tables.ts';
import { readManifest } from '../../engine/log/manifest.ts';
import { diskStorage } from '../../engine/log/disk-storage.ts';
import { readSuperblock } from '../../engine/log/superblock.ts';
import { ReplicaGroup } from '../replication/replica-group.ts';
import { accountOf, transferOf, Writer } from '../replication/writer.ts';

const BATCH = 8000;
const { values } = parseArgs({ options: { transfers: { type: 'string', default: '40000' } } });

/** Flips a bit in each of some pieces that the newest checkpoint has of a table. Returns how many there are. */
async function damage(path: string, table: number, everyNth = 1): Promise<number> {
  const file = await diskStorage.open(path, { writable: false, exclusive: false });
  const sections = await readManifest(file, await readSuperblock(file));
  await file.close();
  const pieces = sections.filter((one) => one.table === table).flatMap((one) => one.pieces);
  const handle = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  for (const { offset, size } of pieces.filter((_, index) => index % everyNth === 0)) {
    const at = offset + Math.floor(size * 0.6);
    await handle.read(byte, 0, 1, at);
    byte[0]! ^= 0x10;
    await handle.write(byte, 0, 1, at);
  }
  await handle.close();
  return pieces.length;
}

const tell = (words: string): void => void process.stdout.write(`${words}\n`);

const lines = (group: ReplicaGroup, replica: number, words: string): number =>
  group.logOf(replica).split(words).length - 1;

const group = await ReplicaGroup.start();
const leader = await group.leader();
const victim = (leader + 1) % group.size;
const client = createClient({ cluster_id: 0n, replica_addresses: [...group.addresses] });
let writer: Writer | undefined;
try {
  await client.createAccounts([accountOf(1n), accountOf(2n)]);
  const old = 1n << 64n;
  for (let done = 0; done < Number(values.transfers); done += BATCH)
    await client.createTransfers(
      Array.from({ length: BATCH }, (_, i) => transferOf(old + BigInt(done + i))),
    );
  writer = new Writer(client);
  for (const [name, table] of Object.entries(TableId)) {
    const mended = lines(group, victim, 'the data file is mended');
    const replaced = lines(group, victim, 'the state of another replica replaces it');
    await fetch(new URL('/checkpoint', group.statusUrl(victim)), { method: 'POST' });
    await group.signal(victim, 'SIGKILL');
    const pieces = await damage(group.path(victim), table);
    const began = performance.now();
    group.start(victim);
    await group.joined(victim);
    const ms = Math.round(performance.now() - began);
    await sleep(500);
    const figures = {
      pieces,
      joinedMs: ms,
      mended: lines(group, victim, 'the data file is mended') - mended,
      replaced: lines(group, victim, 'the state of another replica replaces it') - replaced,
      writes: Number(writer.acknowledged),
    };
    tell(`${name} ${JSON.stringify(figures)}`);
  }
  tell(`longest wait of the writer ${Math.round(writer.longestGapMs)} ms`);
  await writer.stop();
  await group.level();
  const statuses = await group.statuses();
  const hashes = new Set(statuses.map((status) => `${status?.op} ${status?.stateHash}`));
  tell([...hashes].join());
  assert.equal(hashes.size, 1, 'all replicas have the same state');
  assert.deepEqual(
    statuses.flatMap((status) => status?.warnings ?? []),
    [],
  );
} catch (error) {
  tell(String(error));
  process.exitCode = 1;
} finally {
  await writer?.stop().catch(() => undefined);
  client.destroy();
  await group.dispose();
}
