import { expect, test } from '@jest/globals';
import { HEAD_MAGIC, headFields } from '../../../../../domain/import-files/head-layout.ts';
import type { Import, Problem } from '../../../../../gen/api.ts';
import { ProblemError } from '../../../data/problem-error.ts';
import {
  announced,
  faultsOf,
  filesMax,
  headOf,
  readChosen,
  refusalsOf,
  whyOthers,
} from './chosen-files.ts';

const terms = { release: 4361, now: new Date(1_800_000_000_000) };

/** The beginning of an exported file, and bytes behind it. */
function exported(
  index: number,
  count: number,
  change: { op?: bigint; cluster?: bigint } = {},
): File {
  const block = new Uint8Array(4096);
  const fields = new DataView(block.buffer);
  block.set(HEAD_MAGIC, 0);
  fields.setUint32(headFields.formatVersion, 1, true);
  fields.setUint32(headFields.release, 4361, true);
  fields.setBigUint64(headFields.clusterId, change.cluster ?? 77n, true);
  fields.setUint32(headFields.replicaIndex, index, true);
  fields.setUint32(headFields.replicaCount, count, true);
  fields.setBigUint64(headFields.op, change.op ?? 60n, true);
  fields.setBigUint64(headFields.timestamp, 1_700_000_000_000_000_000n, true);
  fields.setBigUint64(headFields.manifestOffset, 20_000n, true);
  fields.setBigUint64(headFields.manifestSize, 1_000n, true);
  const bytes = new Uint8Array(40_960);
  for (let copy = 0; copy < 4; copy += 1) bytes.set(block, copy * 4096);
  return new File([bytes], `77_${index}.ledger`);
}

/** The beginning of a file of TigerBeetle, as a sparse file has the rest. */
function ofTigerBeetle(index: number, damagedCopies = 0, wiped = false): File {
  const bytes = new Uint8Array(100_000);
  for (let copy = 0; copy < 4; copy += 1) {
    const fields = new DataView(bytes.buffer, copy * 24_576, 8_192);
    fields.setUint8(0, copy < damagedCopies ? 9 + copy : 1);
    fields.setUint16(32, copy, true);
    fields.setUint16(34, 2, true);
    fields.setBigUint64(40, 3n, true);
    fields.setBigUint64(48, 42n, true);
    fields.setUint32(708, 4361, true);
    fields.setBigUint64(1_120, 1_000n + BigInt(index), true);
    for (let member = 0; member < 12; member += 1)
      fields.setBigUint64(1_136 + member * 16, 1_000n + BigInt(member), true);
    fields.setUint8(1_364, 3);
    if (wiped && copy < damagedCopies) bytes.fill(0, copy * 24_576, copy * 24_576 + 8_192);
  }
  return new File([bytes], `42_${index}.tigerbeetle`);
}

const begun = (files: readonly File[]) =>
  ({
    kind: 'DATA_FILES',
    files: files.map((file, replicaIndex) => ({
      replicaIndex,
      sizeBytes: file.size,
      head: { clusterId: '77', op: 60, stateHash: '00'.repeat(16) },
    })),
  }) as unknown as Import;

test('files are in the order of their replicas, whatever they are called and however they come', async () => {
  const chosen = await readChosen([2, 0, 1].map((index) => exported(index, 3)));
  expect(chosen.map((one) => headOf(one)?.replicaIndex)).toEqual([0, 1, 2]);
  expect(faultsOf(chosen, terms)).toEqual([]);
  const [first] = announced(chosen).files ?? [];
  expect([first?.replicaIndex, first?.sizeBytes]).toEqual([0, 40_960]);
  expect(
    Buffer.from(first?.head ?? '', 'base64').equals(chosen[0]?.headBytes ?? new Uint8Array()),
  ).toBe(true);
});

test('a file that cannot be imported is named before anything is sent', async () => {
  const chosen = await readChosen([
    new File(['no data file'], 'text'),
    exported(0, 3),
    exported(1, 3, { op: 61n }),
  ]);
  const faults = faultsOf(chosen, terms);
  expect(faults.map(({ code, file }) => [code, file])).toContainEqual(['not_a_data_file', 2]);
  expect(faults.map(({ code, file }) => [code, file])).toContainEqual(['state_differs', 1]);
  const many = await readChosen(Array.from({ length: 40 }, () => exported(0, 1)));
  expect(many).toHaveLength(filesMax + 1);
  expect(faultsOf(many, terms).map(({ code }) => code)).toContain('wrong_file_count');
});

test('only the files that an import was begun with go on with it', async () => {
  const files = [0, 1, 2].map((index) => exported(index, 3));
  const one = begun(files);
  expect(whyOthers(await readChosen(files), one)).toBeUndefined();
  expect(whyOthers(await readChosen(files.slice(0, 1)), one)).toContain('3 files');
  const another = [exported(0, 3), exported(1, 3, { op: 61n }), exported(2, 3)];
  expect(whyOthers(await readChosen(another), one)).toContain('replica 1');
});

test('a refusal of the service is told with the name of the file', async () => {
  const chosen = await readChosen([exported(0, 3), exported(1, 3), exported(2, 3)]);
  const errors = [
    { pointer: '#/files/1/op', code: 'state_differs', detail: 'Its state is another.' },
    { pointer: '#/files', code: 'wrong_file_count', detail: 'There are three.' },
  ];
  const problem = { code: 'import_files_wrong', detail: '', errors } as unknown as Problem;
  expect(refusalsOf(new ProblemError(problem), chosen)).toEqual([
    '77_1.ledger: Its state is another.',
    'There are three.',
  ]);
  expect(refusalsOf(new Error('something else'), chosen)).toEqual([]);
});

test('accounts and transfers are told apart by their columns, and what is wrong with them by line', async () => {
  const accounts = new File(['id,ledger,code\n1,1,1\n'], 'a.csv');
  const header = 'id,debit_account_id,credit_account_id,amount,ledger,code\n';
  const transfers = new File([header], 'b.csv');
  const chosen = await readChosen([transfers, accounts]);
  expect(chosen.map(({ file }) => file.name)).toEqual(['a.csv', 'b.csv']);
  expect(faultsOf(chosen, terms)).toEqual([]);
  expect(announced(chosen)).toMatchObject({
    rows: { accounts: { sizeBytes: accounts.size }, transfers: { sizeBytes: transfers.size } },
  });
  const odd = await readChosen([accounts, new File([header.replace('amount', 'amout')], 'b.csv')]);
  expect(faultsOf(odd, terms).map(({ file, code }) => [file, code])).toEqual([
    [1, 'column_unknown'],
    [1, 'column_missing'],
  ]);
  expect(faultsOf(odd, terms)[0]?.detail).toMatch(/^Line 1: .*Is it amount\?$/);
});

test('files of TigerBeetle are told by all copies of their heads, which the request has whole', async () => {
  const chosen = await readChosen([2, 0, 1].map((index) => ofTigerBeetle(index)));
  expect(chosen.map((one) => headOf(one)?.replicaIndex)).toEqual([0, 1, 2]);
  const codes = (more: object) => faultsOf(chosen, { ...terms, ...more }).map(({ code }) => code);
  // They are as short as no file of TigerBeetle is.
  expect(codes({ tigerBeetleRelease: 4361 })).toEqual(Array(3).fill('file_cut_short'));
  expect(codes({ tigerBeetleRelease: 4360 })).toContain('release_newer');
  expect(codes({})).toContain('tigerbeetle_unavailable');
  for (const { head = '' } of announced(chosen).files ?? [])
    expect(Buffer.from(head, 'base64').length).toBe(81_920);
  const damaged = await readChosen(
    [0, 1, 2].map((index) => ofTigerBeetle(index, index === 1 ? 3 : 0)),
  );
  expect(
    faultsOf(damaged, { ...terms, tigerBeetleRelease: 4361 }).map(({ code }) => code),
  ).toContain('head_damaged');
  // TigerBeetle starts with this one, and mends it.
  const mended = await readChosen([0, 1, 2].map((index) => ofTigerBeetle(index, 1, true)));
  expect(mended.map((one) => headOf(one)?.replicaIndex)).toEqual([0, 1, 2]);
  for (const { head = '' } of announced(mended).files ?? [])
    expect(Buffer.from(head, 'base64').length).toBe(81_920);
});
