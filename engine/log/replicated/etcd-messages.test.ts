import { expect, test } from '@jest/globals';
import {
  decodeMembers,
  decodeMembersAdded,
  decodeNoSpaceMembers,
  decodeStatus,
  decodeTxn,
  decodeWatch,
  encodeAddLearner,
  encodeCompact,
  encodeDisarmNoSpace,
  encodeMemberId,
  encodeMemberList,
  encodeMoveLeader,
  encodeTxn,
  encodeWatchCreate,
} from './etcd-messages.ts';
import { ProtoWriter } from './protobuf.ts';

/** Removes the spaces between the fields of hex bytes. */
const hex = (bytes: string): string => bytes.replaceAll(' ', '');
const text = (value: string): Uint8Array => Buffer.from(value);
const header = (revision: number): ProtoWriter =>
  new ProtoWriter().uint(1, 11).uint(2, 0xfedc_ba98_7654_3210n).uint(3, revision).uint(4, 3);

test('a transaction: each condition and operation in the field that etcd’s rpc.proto gives it', () => {
  const bytes = encodeTxn({
    compare: [
      { key: text('a'), target: 'modRevision', is: 'equal', revision: 5 },
      { key: text('b'), rangeEnd: text('c'), target: 'createRevision', is: 'less', revision: 0 },
    ],
    success: [
      { do: 'put', key: text('k'), value: text('v') },
      { do: 'delete', key: text('d'), rangeEnd: text('e') },
    ],
    failure: [{ do: 'range', key: text('r'), limit: 8, revision: 9, keysOnly: true }],
  });
  expect(bytes.toString('hex')).toBe(
    [
      '0a07 1002 1a0161 3005',
      // A 0 in the union is written, because its presence says which of the two it is.
      '0a0d 0802 1001 1a0162 2800 82040163',
      '1208 1206 0a016b 120176',
      '1208 1a06 0a0164 120165',
      '1a0b 0a09 0a0172 1808 2009 4001',
    ]
      .map(hex)
      .join(''),
  );
});

test('an answer to a transaction', () => {
  const kv = new ProtoWriter()
    .bytes(1, text('k'))
    .uint(2, 4)
    .uint(3, 6)
    .uint(4, 2)
    .bytes(5, text('v'));
  const range = new ProtoWriter().message(1, header(7)).message(2, kv).flag(3, true).uint(4, 9);
  const bytes = new ProtoWriter()
    .message(1, header(7))
    .flag(2, true)
    .message(3, new ProtoWriter().message(2, new ProtoWriter().message(1, header(7))))
    .message(3, new ProtoWriter().message(1, range))
    .finish();
  const answer = decodeTxn(bytes);
  expect(answer.succeeded).toBe(true);
  expect(answer.revision).toBe(7);
  expect(answer.results[0]).toEqual({ kvs: [], more: false });
  expect(answer.results[1]?.more).toBe(true);
  const [found] = answer.results[1]?.kvs ?? [];
  expect(found).toMatchObject({ createRevision: 4, modRevision: 6 });
  expect([found?.key, found?.value].map((part) => Buffer.from(part ?? []).toString())).toEqual([
    'k',
    'v',
  ]);
});

test('a watch: its request, its events, its end', () => {
  const asked = encodeWatchCreate({ key: text('b'), rangeEnd: text('c'), startRevision: 12 });
  expect(asked.toString('hex')).toBe(hex('0a0a 0a0162 120163 180c 4001'));
  const kv = new ProtoWriter().bytes(1, text('b1')).uint(3, 12);
  const told = new ProtoWriter()
    .message(1, header(12))
    .message(11, new ProtoWriter().message(2, kv))
    .message(11, new ProtoWriter().uint(1, 1).message(2, kv));
  const { events, ended, revision } = decodeWatch(told.finish());
  expect(events.map(({ deleted }) => deleted)).toEqual([false, true]);
  expect(events[0]?.kv.modRevision).toBe(12);
  expect([revision, ended]).toEqual([12, undefined]);
  const over = new ProtoWriter().flag(4, true).uint(5, 20).bytes(6, text('compacted'));
  expect(decodeWatch(over.finish()).ended).toEqual({ compacted: true, reason: 'compacted' });
});

test('a status, with ids of all 64 bits and the alarms', () => {
  const id = 0xfedc_ba98_7654_3210n;
  const status = new ProtoWriter()
    .message(1, header(1))
    .uint(3, 100)
    .uint(4, id)
    .uint(6, 8)
    .bytes(8, text('memberID:5 alarm:NOSPACE '))
    .uint(9, 40)
    .uint(12, 2000);
  expect(decodeStatus(status.finish())).toEqual({
    memberId: id,
    leaderId: id,
    raftTerm: 8,
    fileBytes: 100,
    bytesInUse: 40,
    quotaBytes: 2000,
    isLearner: false,
    noSpace: true,
    corrupt: false,
  });
});

test('small requests', () => {
  expect(encodeCompact(300).toString('hex')).toBe('08ac02');
  expect(encodeMoveLeader(1n).toString('hex')).toBe('0801');
  expect(encodeDisarmNoSpace(5n).toString('hex')).toBe('080210051801');
});

test('alarms: those for which there is no space', () => {
  const alarm = (member: bigint, type: number) => new ProtoWriter().uint(1, member).uint(2, type);
  const bytes = new ProtoWriter()
    .message(1, header(1))
    .message(2, alarm(7n, 1))
    .message(2, alarm(8n, 2));
  expect(decodeNoSpaceMembers(bytes.finish())).toEqual([7n]);
});

test('members: asked for, added, removed, and read from the field in which each answer has them', () => {
  expect(encodeMemberList().toString('hex')).toBe('0801');
  expect(encodeAddLearner('http://r').toString('hex')).toBe(
    `0a08${Buffer.from('http://r').toString('hex')}1001`,
  );
  expect(encodeMemberId(300n).toString('hex')).toBe('08ac02');
  const id = 0xfedc_ba98_7654_3210n;
  const started = new ProtoWriter()
    .uint(1, id)
    .bytes(2, text('r0'))
    .bytes(3, text('http://a'))
    .bytes(4, text('http://client'));
  const learner = new ProtoWriter().uint(1, 7).bytes(3, text('http://b')).flag(5, true);
  const members = [
    { id, name: 'r0', peerUrls: ['http://a'], isLearner: false },
    { id: 7n, name: '', peerUrls: ['http://b'], isLearner: true },
  ];
  const list = new ProtoWriter().message(1, header(7)).message(2, started).message(2, learner);
  expect(decodeMembers(list.finish())).toEqual(members);
  const added = new ProtoWriter()
    .message(1, header(7))
    .message(2, learner)
    .message(3, started)
    .message(3, learner);
  expect(decodeMembersAdded(added.finish())).toEqual(members);
});
