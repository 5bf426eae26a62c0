/** A test restore replays the archived log up to the backup. The archives were written by real engines and archivers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checkout } from '../../test/support/shell.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { MemoryStorage } from '../log/testing/memory-storage.ts';
import { Executor } from '../replica/executor.ts';
import { newLedger } from '../replica/new-ledger.ts';
import { batchSizeLimitProduction } from '../wire/limits.ts';
import { engineRelease } from '../wire/release.ts';
import { findRecord } from './archive.ts';
import { decodeChunk, encodeChunk, sha256 } from './chunk.ts';
import { chunkKey, recordKey, segmentKey } from './keys.ts';
import { parseKeys } from './installation-keys.ts';
import { writeChainNote } from './log-chains.ts';
import { decodeSegment, encodeSegment, NO_SEGMENT } from './log-segment.ts';
import { proveLog } from './prove-log.ts';
import { encodeRecord, type BackupRecord } from './record.ts';
import { SealedStore } from './sealed-store.ts';
import { storeOf, type KeptArchives } from './testing/kept-archive.ts';
import { MemoryStore, refusal } from './testing/memory-store.ts';
import { verifyBackup } from './verify-backup.ts';

const path = join(checkout, 'test/fixtures/archives/0.1.0.json');
const [plain, sealed] = (JSON.parse(readFileSync(path, 'utf8')) as KeptArchives).databases;
if (plain === undefined || sealed === undefined) throw new Error('the archives are not there');
const DATABASE = plain.databaseId;
const SCRATCH = '/disk/scratch.working';
/** Operations of the two backups; segments begin with the operations 1, 13, 15 and 16. */
const [FIRST, SECOND] = [12, 15];

interface World {
  readonly objects: MemoryStore;
  readonly store: SealedStore;
  readonly record: (backupId?: string) => Promise<BackupRecord>;
}

function world(archive = plain, objects = new MemoryStore()): World {
  const store = storeOf(archive!, objects);
  const { databaseId } = archive!;
  const record = async (backupId = 'backup-5') =>
    (await findRecord(store, databaseId, backupId)).record;
  return { objects, store, record };
}

async function proved(
  store: SealedStore,
  record: BackupRecord,
  since?: string,
  waitForLog = () => Promise.resolve(false),
) {
  const storage = new MemoryStorage();
  try {
    return await proveLog({
      store,
      record,
      since,
      scratch: SCRATCH,
      release: engineRelease,
      newReplayer: (identity) =>
        new Executor({
          ledger: newLedger(2 ** 34),
          identity,
          batchSizeLimit: batchSizeLimitProduction,
        }),
      newLedger: () => newLedger(2 ** 34),
      logSizeBytes: 64 << 10,
      waitForLog,
      storage,
    });
  } finally {
    for (const name of [SCRATCH, `${SCRATCH}.replay`])
      expect([name, await storage.exists(name)]).toEqual([name, false]);
  }
}

/** Puts an object in the place of a record, with the right digest. */
const putAs = ({ objects }: World, { op, backupId }: BackupRecord, record: object): unknown =>
  objects.objects.set(
    recordKey(DATABASE, op, backupId),
    encodeRecord(record as BackupRecord).bytes,
  );

/** Puts a record in the place of the backup's, with its own digest. */
function put({ objects }: World, record: BackupRecord): BackupRecord {
  const { databaseId, op, backupId } = record;
  objects.objects.set(recordKey(databaseId, op, backupId), encodeRecord(record).bytes);
  return record;
}

const checkRows = ({ store }: World, record: BackupRecord) =>
  verifyBackup(store, record, new StateMachine({ memoryLimitBytes: 2 ** 34 }));

test.each([
  ['plain', plain],
  ['encrypted', sealed],
])('each backup of a %s archive is what the log makes of the state before it', async (_, one) => {
  const { store, record } = world(one);
  expect(await proved(store, await record('backup-2'))).toEqual({ replayedFrom: 0 });
  expect(await proved(store, await record('backup-5'))).toEqual({ replayedFrom: FIRST });
});

/** The record with one bit of a transfer changed: every digest fits. */
async function withChangedBit({ objects }: World, record: BackupRecord): Promise<BackupRecord> {
  const table = record.tables.find((one) => one.table === 2)!;
  const [chunk] = table.chunks;
  const head = { databaseId: DATABASE, table: 2, rowSize: table.rowSize, ...chunk! };
  const key = chunkKey(DATABASE, 2, chunk!);
  const rows = await decodeChunk(key, objects.objects.get(key)!, head);
  // User data of the last transfer: no balance depends on it.
  rows[rows.length - table.rowSize + 64]! ^= 1;
  const changed = { ...chunk!, sha256: sha256(rows).toString('hex') };
  objects.objects.set(chunkKey(DATABASE, 2, changed), await encodeChunk(head, rows));
  const tables = record.tables.map((one) =>
    one === table ? { ...table, chunks: [changed] } : one,
  );
  return { ...record, tables };
}

test('a transfer with one bit changed, and everything sealed anew, passes as rows and is found by the replay', async () => {
  const own = world();
  const changed = put(own, await withChangedBit(own, await own.record()));
  await checkRows(own, changed);
  await expect(proved(own.store, changed)).rejects.toMatchObject({
    code: 'state_rejected',
    message: expect.stringMatching(/backup-5 are whole, but .* other rows of table 2/),
  });
});

test('rows that are left out, and another state hash, are found by the replay', async () => {
  const own = world();
  const record = await own.record();
  const tables = record.tables.filter(({ table }) => table !== 5);
  const cases: readonly (readonly [BackupRecord, RegExp])[] = [
    [{ ...record, tables }, /1 rows of table 5 in the place of 0/],
    [{ ...record, stateHash: '0'.repeat(32) }, /makes the state hash/],
    [{ ...record, inline: [] }, /another table 6/],
  ];
  for (const [changed, words] of cases)
    await expect(proved(own.store, changed)).rejects.toMatchObject({
      code: 'state_rejected',
      message: expect.stringMatching(words),
    });
});

test('a request that was changed in the archived log is found, by mark or by state hash', async () => {
  const own = world();
  const key = segmentKey(DATABASE, 1, SECOND);
  const segment = await decodeSegment(key, own.objects.objects.get(key)!, DATABASE);
  const entries = segment.entries.map((entry) => ({ ...entry, message: entry.message.slice() }));
  const { message } = entries[0]!;
  message[message.length - 200]! ^= 1;
  for (const marks of [segment.marks, []]) {
    own.objects.objects.set(key, await encodeSegment(segment, { entries, marks }));
    const refused = await refusal(proved(own.store, await own.record()));
    expect(refused?.code).toBe('state_rejected');
  }
});

test('of two backups at one operation neither is taken for the state before the other', async () => {
  const own = world();
  const record = await own.record();
  const twin = put(own, { ...record, backupId: 'backup-a' });
  expect(await proved(own.store, twin)).toEqual({ replayedFrom: FIRST });
  expect(await proved(own.store, record)).toEqual({ replayedFrom: FIRST });
  const wrong = put(own, { ...(await withChangedBit(own, record)), backupId: 'backup-z' });
  expect((await refusal(proved(own.store, wrong)))?.code).toBe('state_rejected');
  expect(await proved(own.store, record)).toEqual({ replayedFrom: FIRST });
});

test('a replay goes back to the last proven backup, over those that nobody tested', async () => {
  const own = world();
  const last = await own.record();
  // The archive has no backup between both: one of the same rows stands for it, with its own place in the log.
  const key = segmentKey(DATABASE, 1, 13);
  const { entries } = await decodeSegment(key, own.objects.objects.get(key)!, DATABASE);
  const at = entries.find(({ op }) => op === FIRST + 1)!;
  const first = await own.record('backup-2');
  put(own, { ...first, backupId: 'untested', op: at.op, timestamp: String(at.timestamp) });
  expect(await proved(own.store, last, 'backup-2')).toEqual({ replayedFrom: FIRST });
  // It is the one before otherwise, and lacks an operation.
  for (const since of [undefined, 'untested', 'gone'])
    expect((await refusal(proved(own.store, last, since)))?.code).toBe('state_rejected');
});

test('where the log does not reach, that is said, and is no damage', async () => {
  const none = { rowsOnly: { reason: 'NoLog' } };
  // Never archived.
  const without = world();
  for (const key of without.objects.objects.keys())
    if (/\/(?:log|chains)\//.test(key)) without.objects.objects.delete(key);
  expect(await proved(without.store, await without.record())).toMatchObject(none);
  // The sweep has deleted what is before the second backup, or the first one is removed.
  const swept = world();
  for (const op of [1, 13]) swept.objects.objects.delete(segmentKey(DATABASE, 1, op));
  expect(await proved(swept.store, await swept.record())).toMatchObject(none);
  expect(await proved(swept.store, await swept.record('backup-2'))).toMatchObject(none);
  // The archiver is behind.
  const behind = world();
  for (const op of [15, 16]) behind.objects.objects.delete(segmentKey(DATABASE, 1, op));
  expect(await proved(behind.store, await behind.record())).toMatchObject(none);
  // A log that begins with the operation after the first backup goes on from it.
  const begun = world();
  begun.objects.objects.delete(segmentKey(DATABASE, 1, 1));
  expect(await proved(begun.store, await begun.record())).toEqual({ replayedFrom: FIRST });
});

test('a backup that is newer than the log is proven once its archiver has sent the rest', async () => {
  const own = world();
  const record = await own.record();
  const [key, next] = [15, 16].map((op) => segmentKey(DATABASE, 1, op)) as [string, string];
  const bytes = own.objects.objects.get(key)!;
  for (const one of [key, next]) own.objects.objects.delete(one);
  let looks = 0;
  const proof = await proved(own.store, record, undefined, () => {
    looks += 1;
    if (looks === 2) own.objects.objects.set(key, bytes);
    return Promise.resolve(true);
  });
  expect([looks, proof]).toEqual([2, { replayedFrom: FIRST }]);
});

test('a segment that is lost or damaged on the way is damage, and is named', async () => {
  for (const op of [13, SECOND]) {
    const own = world();
    const key = segmentKey(DATABASE, 1, op);
    const bytes = own.objects.objects.get(key)!.slice();
    bytes[bytes.length - 1]! ^= 1;
    own.objects.objects.set(key, bytes);
    expect(await refusal(proved(own.store, await own.record()))).toEqual({
      code: 'object_damaged',
      key,
    });
  }
  const own = world();
  // The log from the first operation on, with a hole in the middle.
  const key = segmentKey(DATABASE, 1, 13);
  own.objects.objects.delete(key);
  own.objects.objects.delete(recordKey(DATABASE, FIRST, 'backup-2'));
  expect(await refusal(proved(own.store, await own.record()))).toEqual({
    code: 'object_missing',
    key,
  });
});

/** A bucket in which something happens right before an object is read for the first time. */
function before(objects: MemoryStore, key: string, happens: () => void): MemoryStore {
  let once: (() => void) | undefined = happens;
  const read = objects.read.bind(objects);
  objects.read = (name) => {
    if (name === key) {
      once?.();
      once = undefined;
    }
    return read(name);
  };
  return objects;
}

test('a sweep that deletes the beginning of the log during the test is no damage', async () => {
  const segments = [1, 13, SECOND].map((op) => segmentKey(DATABASE, 1, op));
  const noLog = { rowsOnly: { reason: 'NoLog' } };
  // From the empty ledger to the first backup's successor: the first segment goes while it is read, and the whole beginning.
  for (const count of [1, 2, 3]) {
    const own = world(plain, new MemoryStore());
    const record = await own.record();
    own.objects.objects.delete(recordKey(DATABASE, FIRST, 'backup-2'));
    const gone = segments.slice(0, count);
    before(own.objects, segments[count - 1]!, () => {
      for (const key of gone) own.objects.objects.delete(key);
    });
    expect([count, await proved(own.store, record)]).toMatchObject([count, noLog]);
  }
  // Only what the replay does not need.
  const own = world();
  const record = await own.record();
  before(own.objects, segments[1]!, () => own.objects.objects.delete(segments[0]!));
  expect(await proved(own.store, record)).toEqual({ replayedFrom: FIRST });
});

test('a log whose key is not there any more proves nothing, and that is no damage', async () => {
  const own = world(sealed);
  const record = await own.record();
  const other = `other ${Buffer.from(Array.from({ length: 32 }, (_, at) => 99 - at)).toString('base64')}\n`;
  const replaced = new SealedStore(own.objects, parseKeys(other));
  expect(await proved(replaced, record)).toMatchObject({
    rowsOnly: { reason: 'KeyMissing', message: expect.stringContaining('"fixture"') },
  });
});

test('after the return of an older state the former log neither proves the new backups nor contradicts them', async () => {
  const own = world();
  const record = await own.record();
  const later = String(BigInt(record.timestamp) + 1n);
  // The operation number is used again, with another time and other rows.
  const returned = { ...(await withChangedBit(own, record)), timestamp: later };
  expect(await proved(own.store, put(own, { ...returned, backupId: 'new' }))).toMatchObject({
    rowsOnly: { reason: 'OtherHistory' },
  });
  // Nor does a replay of the former log begin with a new backup.
  const first = await own.record('backup-2');
  const base = { ...(await withChangedBit(own, first)), op: 14, timestamp: later };
  put(own, { ...base, backupId: 'new-base' });
  expect(await proved(own.store, record)).toEqual({ replayedFrom: FIRST });
});

test('a damaged backup before is no damage of this one, and a forged one with more rows is not used', async () => {
  const own = world();
  const record = await own.record();
  const [chunk] = (await own.record('backup-2')).tables.find(({ table }) => table === 2)!.chunks;
  own.objects.objects.delete(chunkKey(DATABASE, 2, chunk!));
  expect(await proved(own.store, record)).toMatchObject({ rowsOnly: { reason: 'BaseDamaged' } });
  const forged = world();
  const first = await forged.record('backup-2');
  const tables = first.tables.map((one) =>
    one.table === 2
      ? { ...one, rowCount: 2 ** 40, chunks: [{ ...chunk!, rowCount: 2 ** 40 }] }
      : one,
  );
  put(forged, { ...first, tables });
  expect(await proved(forged.store, record)).toEqual({ replayedFrom: 0 });
});

test('whatever is wrong with the backup before, also what only a ledger finds, is no damage of this one', async () => {
  const head = Buffer.alloc(24, 7).toString('base64');
  const changes: readonly (readonly [string, (record: BackupRecord) => object])[] = [
    ['of another database', (record) => ({ ...record, databaseId: 'db_other' })],
    ['without accounts', (one) => ({ ...one, tables: one.tables.filter((t) => t.table !== 1) })],
    ['another head', (one) => ({ ...one, inline: one.inline.map((t) => ({ ...t, bytes: head })) })],
    ['without a head', (one) => ({ ...one, inline: [] })],
  ];
  for (const [what, change] of changes) {
    const own = world();
    const first = await own.record('backup-2');
    putAs(own, first, change(first));
    const proof = await proved(own.store, await own.record());
    expect([what, proof]).toMatchObject([what, { rowsOnly: { reason: 'BaseDamaged' } }]);
  }
  // One whose record names another operation than its key is no beginning.
  for (const op of [3, SECOND, 99]) {
    const own = world();
    const first = await own.record('backup-2');
    putAs(own, first, { ...first, op });
    expect(await proved(own.store, await own.record())).toEqual({ replayedFrom: 0 });
  }
});

test('a good beginning clears nobody: what contradicts the log after it is damage of the backup or of the log', async () => {
  const own = world();
  const record = await own.record();
  const reads: string[] = [];
  const read = own.objects.read.bind(own.objects);
  own.objects.read = (key) => {
    reads.push(key);
    return read(key);
  };
  const changed = { ...record, stateHash: '0'.repeat(32) };
  expect((await refusal(proved(own.store, changed)))?.code).toBe('state_rejected');
  const [chunk] = (await own.record('backup-2')).tables.find(({ table }) => table === 2)!.chunks;
  // For the replay, and to try it out.
  expect(reads.filter((key) => key === chunkKey(DATABASE, 2, chunk!))).toHaveLength(2);
});

test('a log with an operation that no database can have executed is damaged, although every digest fits', async () => {
  type Entry = Awaited<ReturnType<typeof decodeSegment>>['entries'][number];
  const changes: readonly ((entry: Entry) => Entry)[] = [
    (entry) => ({ ...entry, message: entry.message.subarray(0, entry.message.length - 16) }),
    (entry) => ({ ...entry, message: entry.message.subarray(0, 200) }),
    (entry) => ({ ...entry, message: new Uint8Array(0) }),
  ];
  for (const change of changes) {
    const own = world();
    const key = segmentKey(DATABASE, 1, SECOND);
    const segment = await decodeSegment(key, own.objects.objects.get(key)!, DATABASE);
    const entries = segment.entries.map((entry, at) => (at === 0 ? change(entry) : entry));
    own.objects.objects.set(key, await encodeSegment(segment, { entries, marks: segment.marks }));
    expect(await refusal(proved(own.store, await own.record()))).toEqual({
      code: 'object_damaged',
      key,
    });
  }
});

test('a record that names a table twice, of which a restore would take the other one, is no backup', async () => {
  const record = await world().record();
  const [head] = record.inline;
  const [table] = record.tables;
  const forged = { ...head!, bytes: Buffer.alloc(24, 7).toString('base64') };
  const twice: readonly Partial<BackupRecord>[] = [
    { inline: [head!, forged] },
    { tables: [...record.tables, table!] },
    { inline: [head!, { ...forged, table: 1 }] },
    // A view that no engine has.
    { view: 2 ** 32 },
  ];
  for (const part of twice) {
    const own = world();
    putAs(own, record, { ...record, ...part });
    expect((await refusal(own.record()))?.code).toBe('object_damaged');
  }
});

test('a log that begins anew right after the end of another one is that of another history, and no backup there leads into it', async () => {
  const own = world();
  const record = await own.record();
  // The log after the first backup as a chain of its own, which names no segment before.
  const key = segmentKey(DATABASE, 1, 13);
  const segment = await decodeSegment(key, own.objects.objects.get(key)!, DATABASE);
  own.objects.objects.set(key, await encodeSegment({ ...segment, previous: NO_SEGMENT }, segment));
  const note = { databaseId: DATABASE, line: 1, firstOp: 13, follows: 'gap' as const };
  await writeChainNote(own.objects, { ...note, begunAt: record.completedAt });
  expect(await proved(own.store, record)).toMatchObject({ rowsOnly: { reason: 'NoLog' } });
});
