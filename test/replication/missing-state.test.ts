/**
 * A replica of three real processes that was away for so long that the log no longer reaches back to it: it fetches the pages of rows that it
 * lacks, and keeps its own.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createClient, type Client } from 'tigerbeetle-node';
import { PageTableId } from '../../engine/ledger/layout.ts';
import { PAGE_BYTES } from '../../engine/ledger/page.ts';
import { diskStorage } from '../../engine/log/disk-storage.ts';
import { readManifest } from '../../engine/log/manifest.ts';
import { createEtcdClient } from '../../engine/log/replicated/etcd-client.ts';
import { FLOOR } from '../../engine/log/replicated/keys.ts';
import { decodeFloor } from '../../engine/log/replicated/records.ts';
import { readSuperblock } from '../../engine/log/superblock.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { ReplicaGroup } from './replica-group.ts';
import { accountOf, transferOf } from './writer.ts';

jest.setTimeout(30 * 60_000);

const BATCH = 8000;
/** Less than the log may hold without a checkpoint. */
const HELD_BATCHES = 16;
const ROWS_PER_PAGE = 28;
/** Bytes that come beside the pages that are missing: accounts, sessions with their replies, the list of pieces. */
const BESIDE_BYTES = 3 << 20;

let made: ReplicaGroup;
let client: Client;
let written = 0;
beforeAll(async () => {
  await ensureProgram('etcd');
  made = await ReplicaGroup.start({ quotaBytes: 64 << 20 });
  await made.leader();
  client = createClient({ cluster_id: 0n, replica_addresses: [...made.addresses] });
  await client.createAccounts([accountOf(1n), accountOf(2n)]);
}, 15 * 60_000);
afterAll(async () => {
  client?.destroy();
  await made?.dispose();
});

async function write(batches: number): Promise<void> {
  for (let batch = 0; batch < batches; batch += 1) {
    const first = BigInt(written) + 1n;
    const transfers = Array.from({ length: BATCH }, (_, i) => transferOf(first + BigInt(i)));
    await client.createTransfers(transfers);
    written += BATCH;
  }
}

/** Makes the replicas take checkpoints, after which the log may be cut. */
async function checkpoint(replicas: readonly number[]): Promise<void> {
  for (const replica of replicas) {
    const url = made.statusUrl(replica).replace('/status', '/checkpoint');
    const response = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(300_000) });
    expect(response.status).toBe(200);
  }
}

/** First block that the log still has. */
async function floor(replica: number): Promise<number> {
  const etcd = createEtcdClient(made.etcd.target(replica));
  try {
    const read = [{ do: 'range', key: FLOOR }] as const;
    const all = { compare: [], success: read, failure: [] };
    const { results } = await etcd.txn(all, { timeoutMs: 60_000 });
    const [kv] = results[0]?.kvs ?? [];
    return kv === undefined ? 0 : decodeFloor(kv.value).sequence;
  } finally {
    etcd.close();
  }
}

/** What a replica that does not run has: its block of the log, and its pages of transfers. */
async function heldBy(replica: number) {
  const file = await diskStorage.open(made.path(replica), { writable: false, exclusive: false });
  try {
    const superblock = await readSuperblock(file);
    const sections = await readManifest(file, superblock);
    const transfers = sections.find(({ table }) => table === PageTableId.transfers)!;
    return { sequence: superblock.position.place?.sequence ?? 0, ...transfers };
  } finally {
    await file.close();
  }
}

/** Ends a replica in good order and writes until the log no longer has the block after its last one. */
async function withoutIt(replica: number): Promise<Awaited<ReturnType<typeof heldBy>>> {
  await made.signal(replica, 'SIGTERM');
  const held = await heldBy(replica);
  const others = [0, 1, 2].filter((other) => other !== replica);
  for (let round = 0; (await floor(others[0]!)) <= held.sequence + 1; round += 1) {
    expect(round).toBeLessThan(50);
    await write(8);
    await checkpoint(others);
  }
  return held;
}

async function metrics(replica: number, name: string): Promise<number> {
  const url = made.statusUrl(replica).replace('/status', '/metrics');
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  const line = new RegExp(`^ledgerhouse_engine_${name} (\\S+)$`, 'm').exec(await response.text());
  return Number(line?.[1]);
}

async function bytesOf(replica: number) {
  const received = await metrics(replica, 'state_received_bytes_total');
  return { received, kept: await metrics(replica, 'state_kept_bytes_total') };
}

const pagesOf = (transfers: number): number => Math.floor(transfers / ROWS_PER_PAGE);

test('a replica that was away for long is sent the pages of rows that it lacks, and keeps its own', async () => {
  const replica = ((await made.leader()) + 1) % made.size;
  await write(HELD_BATCHES);
  // A checkpoint of a follower has what it has followed by then.
  await made.level();
  await checkpoint([0, 1, 2]);
  await write(1);
  const { rowCount } = await withoutIt(replica);
  expect(rowCount).toBeGreaterThan(pagesOf(HELD_BATCHES * BATCH) - 1);
  made.startBoth(replica);
  await made.joined(replica);
  const { transfers } = await made.level();
  expect(transfers).toBe(written);
  const { received, kept } = await bytesOf(replica);
  expect(kept).toBe(rowCount * PAGE_BYTES);
  const lacking = (pagesOf(written) - rowCount) * PAGE_BYTES;
  expect(received).toBeGreaterThan(0);
  expect(received).toBeLessThan(lacking + BESIDE_BYTES);
  expect(made.logOf(replica)).toContain('the state of another replica was taken');
});

test('a piece that is damaged on its volume is sent, too', async () => {
  const replica = ((await made.leader()) + 1) % made.size;
  const { rowCount, pieces } = await withoutIt(replica);
  const file = openSync(made.path(replica), 'r+');
  const piece = pieces[Math.floor(pieces.length / 2)]!;
  const byte = readFileSync(made.path(replica))[piece.offset + 99]!;
  writeSync(file, Uint8Array.of(byte ^ 1), 0, 1, piece.offset + 99);
  closeSync(file);
  made.startBoth(replica);
  await made.joined(replica);
  expect((await made.level()).transfers).toBe(written);
  const { received, kept } = await bytesOf(replica);
  // A start may have mended it before, page by page.
  expect(kept).toBeGreaterThanOrEqual(rowCount * PAGE_BYTES - piece.size);
  const lacking = (pagesOf(written) - rowCount) * PAGE_BYTES;
  expect(received).toBeLessThan(lacking + piece.size + BESIDE_BYTES);
});
