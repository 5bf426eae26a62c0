/** Archives are encrypted under keys of the installation, which can be replaced, and are missed by name. */
import { expect, test } from '@jest/globals';
import { SteadyLoad } from '../../test/support/engine/ledger/steady-load.ts';
import { findEnd } from '../archiver/archive-end.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { findRecord } from './archive.ts';
import { parseKeys } from './installation-keys.ts';
import { lockBoxesPrefix, removalKey, segmentKey, sweptKey } from './keys.ts';
import { examineBoxes } from './lock-boxes.ts';
import { readChains, readSegmentHead, segmentIfAny, writeChainNote } from './log-chains.ts';
import { Archive } from './moments.ts';
import { removeBackup } from './removals.ts';
import { SealedStore } from './sealed-store.ts';
import { sweep } from './sweep.ts';
import { DATABASE, LedgerFile, restored } from './testing/ledger-file.ts';
import { MemoryStore, refusal } from './testing/memory-store.ts';
import { writeChain } from './testing/written-log.ts';
import { verifyBackup } from './verify-backup.ts';

/** A line of the file with keys. */
const line = (name: string, byte: number): string =>
  `${name} ${Buffer.from(Array.from({ length: 32 }, (_, at) => byte + at)).toString('base64')}`;
const OLD = line('2026', 1);
const NEW = line('2027', 100);
const STRANGE = line('2026', 50);

const sealed = (store: MemoryStore, ...lines: readonly string[]) =>
  new SealedStore(store, lines.length === 0 ? undefined : parseKeys(lines.join('\n')));

const emptyLedger = () => new StateMachine({ memoryLimitBytes: 2 ** 34 });

const dataOf = (bucket: MemoryStore): readonly string[] =>
  [...bucket.objects.keys()].filter((key) => /\/(?:rows|backups|log)\//.test(key));

const isSealed = (bucket: MemoryStore, key: string): boolean =>
  Buffer.from(bucket.objects.get(key) ?? []).toString('latin1', 0, 4) === 'LENC';

async function ledgerWith(steps: number): Promise<LedgerFile> {
  const file = await LedgerFile.create(new SteadyLoad());
  await file.work(steps);
  return file;
}

/** A database whose backup and log are encrypted. */
async function encrypted() {
  const bucket = new MemoryStore();
  const file = await ledgerWith(60);
  const store = sealed(bucket, OLD);
  await file.backUp(store, 'one', { seals: store.seals });
  await writeChain(store, 1, 40, 'start');
  return { bucket, file };
}

test('all that is written of rows, backups and log is encrypted, and read by everything that reads an archive', async () => {
  const { bucket, file } = await encrypted();
  expect(dataOf(bucket).length).toBeGreaterThan(5);
  for (const key of dataOf(bucket)) expect([key, isSealed(bucket, key)]).toEqual([key, true]);
  // By another process.
  const store = sealed(bucket, OLD);
  const { record } = await findRecord(store, DATABASE, undefined);
  expect(record.sealed).toBe(true);
  await verifyBackup(store, record, emptyLedger());
  const { ledger } = await restored(store, record);
  expect(Buffer.from(ledger.stateHash()).toString('hex')).toBe(file.hash);
  const archive = await Archive.read(store, DATABASE);
  expect(archive.windows).toMatchObject([{ from: { op: 0 }, to: { op: 40 } }]);
  expect((await archive.segment(1, 11)).entries).toHaveLength(10);
  expect((await readSegmentHead(store, DATABASE, 1, 31)).lastOp).toBe(40);
});

test('without the key, or with another one of its name, nothing is read and nothing is written, and the key is named', async () => {
  const { bucket, file } = await encrypted();
  const before = new Map(bucket.objects);
  for (const store of [sealed(bucket), sealed(bucket, STRANGE), sealed(bucket, STRANGE, NEW)]) {
    await expect(findRecord(store, DATABASE, 'one')).rejects.toMatchObject({
      code: 'key_missing',
      message: expect.stringContaining('opens with the key "2026" ('),
    });
    const make = file.backUp(store, 'two', { seals: store.seals });
    expect(await refusal(make)).toMatchObject({ code: 'key_missing' });
    const segment = store.create(segmentKey(DATABASE, 1, 41), Buffer.from('a segment'));
    expect(await refusal(segment)).toMatchObject({ code: 'key_missing' });
  }
  expect(bucket.objects).toEqual(before);
});

test('a new key is for new objects, opens old ones after their data keys were put into new boxes, and then replaces the old one', async () => {
  const { bucket, file } = await encrypted();
  const both = sealed(bucket, NEW, OLD);
  await file.work(40);
  const { record } = await file.backUp(both, 'two', { seals: true });
  const boxes = () =>
    [...bucket.objects.keys()].filter((key) => key.startsWith(lockBoxesPrefix(DATABASE)));
  expect(boxes()).toHaveLength(2);
  expect(await refusal(findRecord(sealed(bucket, NEW), DATABASE, 'one'))).toMatchObject({
    code: 'key_missing',
  });
  const objects = new Map(dataOf(bucket).map((key) => [key, bucket.objects.get(key)]));
  const keys = both.keys!;
  expect(await examineBoxes(bucket, DATABASE, keys, false)).toEqual({
    dataKeys: 2,
    boxesMade: 0,
    stillNeeded: ['2026'],
  });
  const rewrapped = { dataKeys: 2, boxesMade: 1, stillNeeded: [] };
  expect(await examineBoxes(bucket, DATABASE, keys, true)).toEqual(rewrapped);
  expect(await examineBoxes(bucket, DATABASE, keys, true)).toEqual({ ...rewrapped, boxesMade: 0 });
  for (const [key, bytes] of objects) expect(bucket.objects.get(key)).toBe(bytes);
  for (const store of [sealed(bucket, NEW), sealed(bucket, OLD, NEW)]) {
    const { ledger } = await restored(store, (await findRecord(store, DATABASE, 'two')).record);
    expect(Buffer.from(ledger.stateHash()).toString('hex')).toBe(record.stateHash);
    await verifyBackup(store, (await findRecord(store, DATABASE, 'one')).record, emptyLedger());
  }
  // The old data key opens with the new key too, but is not for new objects: whoever has the old key knows it.
  const next = sealed(bucket, NEW);
  await next.create(segmentKey(DATABASE, 1, 41), Buffer.from('a segment'));
  const used = Buffer.from(bucket.objects.get(segmentKey(DATABASE, 1, 41))!).toString('hex', 8, 24);
  const twoBackup = dataOf(bucket).find((key) => key.endsWith('-two.ndjson'))!;
  expect(used).toBe(Buffer.from(bucket.objects.get(twoBackup)!).toString('hex', 8, 24));
});

test('objects that were plain before stay readable, and the next backup has no plain rows', async () => {
  const bucket = new MemoryStore();
  const file = await ledgerWith(60);
  await file.backUp(bucket, 'plain');
  await writeChain(bucket, 1, 40, 'start');
  const store = sealed(bucket, OLD);
  const made = await file.backUp(store, 'sealed', { seals: true });
  expect(made.newObjects).toBeGreaterThan(3);
  expect(made.record.tables.flatMap(({ chunks }) => chunks).every((one) => one.sealed)).toBe(true);
  const next = await file.backUp(store, 'next', { seals: true });
  expect(next.newObjects).toBe(0);
  for (const backupId of ['plain', 'sealed', 'next']) {
    const { record } = await findRecord(store, DATABASE, backupId);
    expect((await restored(store, record)).ledger.counts()).toEqual(file.load.machine.counts());
  }
  expect((await readChains(store, DATABASE))[0]?.segments).toHaveLength(4);
  expect((await readSegmentHead(store, DATABASE, 1, 31)).lastOp).toBe(40);
  // The plain rows go with the plain backup.
  const [removedAt, day] = [new Date(0).toISOString(), 86_400_000];
  await removeBackup(store, DATABASE, { backupId: 'plain', removedAt });
  await sweep({ store, databaseId: DATABASE, nowMs: day, graceMs: day });
  const rows = dataOf(bucket).filter((key) => key.includes('/rows/'));
  for (const key of rows) expect([key, isSealed(bucket, key)]).toEqual([key, true]);
  await verifyBackup(store, (await findRecord(store, DATABASE, 'next')).record, emptyLedger());
});

test('a plain object in the place of an encrypted one is refused, of records and log when the keys say so', async () => {
  const { bucket } = await encrypted();
  const plain = new MemoryStore();
  await (await ledgerWith(60)).backUp(plain, 'one');
  await writeChain(plain, 1, 40, 'start');
  const store = (forged: MemoryStore, ...lines: readonly string[]) => sealed(forged, OLD, ...lines);
  const { record } = await findRecord(store(bucket), DATABASE, 'one');
  const chunk = dataOf(bucket).find((key) => key.endsWith('.sealed'))!;
  const rows = plain.objects.get(chunk.replace('.sealed', ''))!;
  const verified = verifyBackup(store(bucket.with(chunk, rows)), record, emptyLedger());
  expect(await refusal(verified)).toEqual({ code: 'object_damaged', key: chunk });
  for (const key of dataOf(plain).filter((one) => !one.includes('/rows/'))) {
    const forged = bucket.with(key, plain.objects.get(key));
    expect(await refusal(store(forged).read(key))).toBeUndefined();
    const strict = store(forged, 'refuse-plain');
    expect(await refusal(strict.read(key))).toEqual({ code: 'object_damaged', key });
    expect(await refusal(strict.readRange(key, 0, 384))).toEqual({ code: 'object_damaged', key });
  }
});

test('a box with a data key that is changed, exchanged or missing is named, and none is made in its place', async () => {
  const { bucket } = await encrypted();
  const [box] = [...bucket.objects.keys()].filter((key) =>
    key.startsWith(lockBoxesPrefix(DATABASE)),
  );
  const text = Buffer.from(bucket.objects.get(box!)!).toString();
  const parsed = JSON.parse(text) as Record<string, string>;
  const changed = (fields: object) => Buffer.from(JSON.stringify({ ...parsed, ...fields }));
  const flipped = Buffer.from(parsed['sealed']!, 'base64');
  flipped[3]! ^= 1;
  for (const bytes of [
    changed({ sealed: flipped.toString('base64') }),
    changed({ madeFor: '0'.repeat(16) }),
    changed({ nonce: Buffer.alloc(12).toString('base64') }),
    changed({ sealed: '' }),
    changed({ key: { name: 'x\nSend the key to', fingerprint: '0'.repeat(16) } }),
    Buffer.from(text.slice(0, 40)),
  ]) {
    const store = sealed(bucket.with(box!, bytes), OLD);
    expect(await refusal(findRecord(store, DATABASE, 'one'))).toEqual({
      code: 'object_damaged',
      key: box,
    });
    const write = store.create(segmentKey(DATABASE, 1, 41), Buffer.from('a segment'));
    expect(await refusal(write)).toEqual({ code: 'object_damaged', key: box });
  }
  const gone = sealed(bucket.with(box!, undefined), OLD);
  for (const read of [
    () => findRecord(gone, DATABASE, 'one'),
    () => segmentIfAny(gone, DATABASE, 1, 31),
    () => findEnd(gone, DATABASE),
  ]) {
    await expect(read()).rejects.toMatchObject({
      code: 'key_missing',
      message: expect.stringContaining(`below ${lockBoxesPrefix(DATABASE)}`),
    });
  }
});

test('a full backup replaces encrypted rows that are damaged', async () => {
  const { bucket, file } = await encrypted();
  const chunk = dataOf(bucket).find((key) => key.endsWith('.sealed'))!;
  bucket.objects.get(chunk)![100]! ^= 1;
  const store = sealed(bucket, OLD);
  const { newObjects, record } = await file.backUp(store, 'two', { seals: true, full: true });
  expect(newObjects).toBe(1);
  await verifyBackup(store, record, emptyLedger());
});

test('notes of removals are encrypted too, so that nobody without the key has the sweep delete a backup', async () => {
  const { bucket } = await encrypted();
  const store = sealed(bucket, OLD, 'refuse-plain');
  const swept = (nowMs: number) => sweep({ store, databaseId: DATABASE, nowMs, graceMs: 1 });
  const note = { backupId: 'one', removedAt: new Date(0).toISOString() };
  const key = removalKey(DATABASE, 'one');
  // Somebody who may write to the bucket, and dates the note back.
  await removeBackup(bucket, DATABASE, note);
  const before = new Map(bucket.objects);
  expect(await refusal(swept(1))).toEqual({ code: 'object_damaged', key });
  expect(bucket.objects).toEqual(before);
  bucket.objects.delete(key);
  await removeBackup(store, DATABASE, note);
  expect(isSealed(bucket, key)).toBe(true);
  expect(await swept(1)).toMatchObject({ emptied: 1 });
  expect(isSealed(bucket, sweptKey(DATABASE, 'one'))).toBe(true);
  expect(await swept(2)).toMatchObject({ gone: 1 });
});

test('a forged note of a chain splits no encrypted chain: its segments say that they continue those before', async () => {
  const { bucket } = await encrypted();
  const note = { databaseId: DATABASE, line: 1, firstOp: 21, follows: 'gap' as const };
  await writeChainNote(bucket, { ...note, begunAt: new Date(0).toISOString() });
  const store = sealed(bucket, OLD, 'refuse-plain');
  const [chain, another] = await readChains(store, DATABASE);
  expect([chain?.segments, another]).toEqual([[1, 11, 21, 31], undefined]);
});

test('a writer that dies between a data key and the first object leaves an archive that goes on', async () => {
  for (const write of [1, 2, 3, 4]) {
    for (const arrives of [false, true]) {
      const bucket = new MemoryStore();
      bucket.killAt = { write, arrives };
      const file = await ledgerWith(60);
      await file.backUp(sealed(bucket, OLD), 'one', { seals: true }).catch(() => undefined);
      bucket.killAt = undefined;
      const { record } = await file.backUp(sealed(bucket, OLD), 'one', { seals: true });
      await verifyBackup(sealed(bucket, OLD), record, emptyLedger());
    }
  }
});

test.each([
  ['no key', ''],
  ['only a comment', '# none\n'],
  ['a key without a name', `${OLD.split(' ')[1]}`],
  ['a key that is too short', 'a AAAA'],
  ['equal bytes', `a ${Buffer.alloc(32, 7).toString('base64')}`],
  ['a name twice', `${OLD}\n${STRANGE}`],
  ['a key twice', `${OLD}\n${OLD.replace('2026', '2027')}`],
  ['a word after the key', `${OLD} old`],
])('a file of keys with %s is refused, and no key is repeated', (_, text) => {
  let message = '';
  try {
    parseKeys(text);
  } catch (error) {
    expect(error).toMatchObject({ code: 'keys_wrong' });
    ({ message } = error as Error);
  }
  expect(message).toContain('The file with the encryption keys');
  expect(message).not.toContain(OLD.split(' ')[1]!);
});
