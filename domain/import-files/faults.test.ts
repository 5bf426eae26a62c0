import { expect, test } from '@jest/globals';
import { importFaults, type ImportFile } from './faults.ts';
import {
  importFileName,
  releaseOfText,
  releaseText,
  type LedgerFileHead,
  type TigerBeetleFileHead,
} from './file-head.ts';

const HEAD: LedgerFileHead = {
  clusterId: 7n,
  replicaIndex: 0,
  replicaCount: 1,
  release: 4361,
  op: 60,
  timestamp: 1_800_000_000_000_000_000n,
  stateHash: 'aa'.repeat(16),
  logSizeBytes: 0,
  endsAfterBytes: 30_000,
};
const TERMS = { release: 4361, now: new Date(1_800_000_000_000) };

const file = (head: Partial<LedgerFileHead>, rest: Partial<ImportFile> = {}): ImportFile => ({
  sizeBytes: 40_960,
  head: { kind: 'ledger', head: { ...HEAD, ...head } },
  ...rest,
});
const three = (...changes: readonly Partial<LedgerFileHead>[]): readonly ImportFile[] =>
  [0, 1, 2].map((index) =>
    file({ replicaIndex: index, replicaCount: 3, ...changes[index] }, { replicaIndex: index }),
  );
const named = (files: readonly ImportFile[], terms: object = {}) =>
  importFaults(files, { ...TERMS, ...terms }).map(({ code, file, field }) => [code, file, field]);

test('the files of one, three and six replicas of one moment have no fault, in whatever order they come', () => {
  expect(named([file({})])).toEqual([]);
  expect(named(three().toReversed())).toEqual([]);
  const six = Array.from({ length: 6 }, (_, index) =>
    file({ replicaIndex: index, replicaCount: 6 }),
  );
  expect(named(six)).toEqual([]);
});

test.each<[string, Partial<LedgerFileHead>, string, string]>([
  ['of another cluster', { clusterId: 8n }, 'cluster_differs', 'clusterId'],
  ['of another replica', { replicaIndex: 2 }, 'replica_index_differs', 'replicaIndex'],
  ['of a cluster of another size', { replicaCount: 1 }, 'replica_count_differs', 'replicaCount'],
  ['of another moment', { op: 61 }, 'state_differs', 'op'],
  ['of another history', { stateHash: 'bb'.repeat(16) }, 'state_differs', 'stateHash'],
  ['of a newer release', { release: 4362 }, 'release_newer', 'release'],
  ['with a log', { logSizeBytes: 65_536 }, 'replica_own_file', 'head'],
  ['cut short', { endsAfterBytes: 40_961 }, 'file_cut_short', 'sizeBytes'],
  ['of the future', { timestamp: 2_000_000_000_000_000_000n }, 'timestamp_in_future', 'timestamp'],
])('one file that is %s is named, with the field that tells it', (_, change, code, field) => {
  expect(named(three({}, change))).toEqual([[code, 1, field]]);
});

test('an empty ledger, files of other programs and damaged ones are named', () => {
  expect(named([file({ op: 0 })])).toEqual([['ledger_empty', 0, 'op']]);
  const of = (head: ImportFile['head'], sizeBytes = 100) => named([{ sizeBytes, head: head! }]);
  expect(of({ kind: 'newer-format', formatVersion: 4 })).toEqual([['format_newer', 0, 'release']]);
  expect(of({ kind: 'damaged' })).toEqual([['head_damaged', 0, 'head']]);
  expect(of({ kind: 'foreign' })).toEqual([['not_a_data_file', 0, 'head']]);
  expect(of({ kind: 'foreign' }, 0)).toEqual([['file_cut_short', 0, 'sizeBytes']]);
});

test('the form asks for as many files as replicas, one for each', () => {
  expect(named([])).toEqual([['wrong_file_count', undefined, 'files']]);
  expect(named(three().slice(1))).toContainEqual(['wrong_file_count', undefined, 'files']);
  expect(named(three(), { replicaCount: 1 })).toEqual([['wrong_file_count', undefined, 'files']]);
  const twice = [0, 0, 2].map((replicaIndex) => ({ replicaIndex, sizeBytes: 1 }));
  expect(named(twice)).toEqual([
    ['replica_twice', 1, 'replicaIndex'],
    ['replica_missing', undefined, 'files'],
  ]);
});

test('without an index the head names the replica', () => {
  const files = [0, 1, 1].map((index) => file({ replicaIndex: index, replicaCount: 3 }));
  expect(named(files)).toEqual([
    ['replica_twice', 2, 'replicaIndex'],
    ['replica_missing', undefined, 'files'],
  ]);
});

test('releases are read as they are shown', () => {
  expect(releaseText(4361)).toBe('0.17.9');
  expect(releaseOfText('0.17.9')).toBe(4361);
  for (const text of ['', '0.17', '0.17.256', '0.256.1', 'v0.17.9', '0.17.9-rc']) {
    expect(releaseOfText(text)).toBeUndefined();
  }
  expect(importFileName(7n, 0)).toBe('7_0.ledger');
  expect(importFileName(7n, 0, 'TigerBeetle')).toBe('7_0.tigerbeetle');
});

const REPLICA: TigerBeetleFileHead = {
  clusterId: 7n,
  replicaIndex: 0,
  replicaCount: 1,
  release: 4361,
  op: 0,
  timestamp: 0n,
  stateHash: 'cc'.repeat(16),
  endsAfterBytes: 1_141_374_976,
  isSyncing: false,
};
const replicaFile = (
  head: Partial<TigerBeetleFileHead>,
  sizeBytes = 1_141_374_976,
): ImportFile => ({
  sizeBytes,
  head: { kind: 'tigerbeetle', head: { ...REPLICA, ...head } },
});
const cluster = (...changes: readonly Partial<TigerBeetleFileHead>[]): readonly ImportFile[] =>
  [0, 1, 2].map((index) => ({
    ...replicaFile({ replicaIndex: index, replicaCount: 3, ...changes[index] }),
    replicaIndex: index,
  }));
const withTigerBeetle = { tigerBeetleRelease: 4361 };

test('files of TigerBeetle’s replicas have no fault, before a checkpoint and with heads that differ, but where no TigerBeetle can be made', () => {
  expect(named([replicaFile({})], withTigerBeetle)).toEqual([]);
  const apart = cluster({ op: 959 }, { op: 1_919, stateHash: 'dd'.repeat(16) });
  expect(named(apart.toReversed(), withTigerBeetle)).toEqual([]);
  expect(named([replicaFile({})])).toEqual([['tigerbeetle_unavailable', 0, 'head']]);
});

test.each<[string, Partial<TigerBeetleFileHead>, string, string]>([
  ['of another cluster', { clusterId: 8n }, 'cluster_differs', 'clusterId'],
  ['of another replica', { replicaIndex: 2 }, 'replica_index_differs', 'replicaIndex'],
  ['of a cluster of another size', { replicaCount: 6 }, 'replica_count_differs', 'replicaCount'],
  ['of a newer release', { release: 4362 }, 'release_newer', 'release'],
  ['of a replica that fetches a state', { isSyncing: true }, 'state_incomplete', 'head'],
  ['cut short', { endsAfterBytes: 1_141_374_977 }, 'file_cut_short', 'sizeBytes'],
  ['of the future', { timestamp: 2_000_000_000_000_000_000n }, 'timestamp_in_future', 'timestamp'],
])('one file of TigerBeetle that is %s is named', (_, change, code, field) => {
  expect(named(cluster({}, change), withTigerBeetle)).toEqual([[code, 1, field]]);
});

test('a standby’s file, files of both engines, and heads of TigerBeetle that cannot be read are named', () => {
  expect(named([replicaFile({ replicaIndex: 1 })], withTigerBeetle)).toContainEqual([
    'standby_file',
    0,
    'replicaIndex',
  ]);
  const mixed = [...cluster().slice(0, 2), file({ replicaIndex: 2, replicaCount: 3 })];
  expect(named(mixed, withTigerBeetle)).toEqual([['engine_differs', 2, 'head']]);
  const of = (kind: 'tigerbeetle-cut' | 'tigerbeetle-damaged' | 'tigerbeetle-development') =>
    named([{ sizeBytes: 1_141_374_976, head: { kind } }], withTigerBeetle);
  expect(of('tigerbeetle-cut')).toEqual([['head_incomplete', 0, 'head']]);
  expect(of('tigerbeetle-damaged')).toEqual([['head_damaged', 0, 'head']]);
  expect(of('tigerbeetle-development')).toEqual([['format_unknown', 0, 'head']]);
  const short: ImportFile = { sizeBytes: 16_384, head: { kind: 'tigerbeetle-cut' } };
  expect(named([short], withTigerBeetle)).toEqual([['file_cut_short', 0, 'sizeBytes']]);
});

test('a replica that has fetched its state says so until its next checkpoint: the fault tells how to get there', () => {
  // Waiting is not enough: without requests there is no checkpoint.
  const [fault] = importFaults(cluster({ isSyncing: true }), { ...TERMS, ...withTigerBeetle });
  expect(fault?.detail).toContain('let it take about a thousand requests');
});

test('a file of TigerBeetle that was copied at another moment is named, once no stopped cluster can have such files', () => {
  const of = (...ops: readonly number[]) =>
    named(
      ops.map((op, replicaIndex) => replicaFile({ op, replicaIndex, replicaCount: ops.length })),
      withTigerBeetle,
    );
  const differs = (file: number) => [['moments_differ', file, 'op']];
  // One of three has copied nothing for long, or was made anew; and two are a checkpoint behind.
  for (const ops of [[4_799, 0, 4_799], [0, 959, 0], [3_839, 4_799, 0], [9_599]])
    expect(of(...ops)).toEqual([]);
  expect(of(1_919, 0, 0)).toEqual(differs(0));
  expect(of(2_879, 4_799, 2_879)).toEqual(differs(1));
  expect(of(4_799, 3_839, 4_799, 0, 0, 0)).toEqual([]);
  expect(of(2_879, 2_879, 2_879, 4_799, 4_799, 0)).toEqual(differs(3));
  // Nobody has read the others yet.
  const [first, ...others] = cluster({ op: 4_799 });
  const unread = others.map(({ sizeBytes, replicaIndex = 0 }) => ({ sizeBytes, replicaIndex }));
  expect(named([first!, ...unread], withTigerBeetle)).toEqual([]);
});

test('files of TigerBeetle with a cluster ID that no database may have are named before anything is sent', () => {
  const ids = [0n, 1n, 2n ** 128n - 2n, 2n ** 128n - 1n];
  const reserved = [['cluster_reserved', 0, 'clusterId']];
  expect(ids.map((clusterId) => named([replicaFile({ clusterId })], withTigerBeetle))).toEqual([
    reserved,
    [],
    [],
    reserved,
  ]);
  // The built-in engine gives the new database another ID.
  expect(named([file({ clusterId: 0n })])).toEqual([]);
});

test('two files for one replica of TigerBeetle leave another one without', () => {
  const files = [0, 1, 1].map((index) => replicaFile({ replicaIndex: index, replicaCount: 3 }));
  expect(named(files, withTigerBeetle)).toEqual([
    ['replica_twice', 2, 'replicaIndex'],
    ['replica_missing', undefined, 'files'],
  ]);
});
