/**
 * The etcd messages that the log uses. Field numbers are those of etcd 3.6, api/etcdserverpb/rpc.proto and
 * api/mvccpb/kv.proto. Each line of an encoder or a decoder is one field.
 */
import type {
  Compare,
  EtcdMember,
  KeyValue,
  MemberStatus,
  Operation,
  Range,
  RangeResult,
  Txn,
  TxnResult,
  WatchEvent,
  WatchRequest,
} from './etcd.ts';
import { ProtoReader, ProtoWriter } from './protobuf.ts';

const EQUAL = 0;
const LESS = 2;
const CREATE = 1;
const MOD = 2;
const DELETE_EVENT = 1;
const DEACTIVATE = 2;
const NOSPACE = 1;

export function encodeTxn(txn: Txn): Buffer {
  const writer = new ProtoWriter();
  for (const compare of txn.compare) writer.message(1, compareWriter(compare));
  for (const operation of txn.success) writer.message(2, operationWriter(operation));
  for (const operation of txn.failure) writer.message(3, operationWriter(operation));
  return writer.finish();
}

function compareWriter({ key, rangeEnd, target, is, revision }: Compare): ProtoWriter {
  const writer = new ProtoWriter()
    .uint(1, is === 'equal' ? EQUAL : LESS)
    .uint(2, target === 'createRevision' ? CREATE : MOD)
    .bytes(3, key)
    .uintAlways(target === 'createRevision' ? 5 : 6, revision);
  return rangeEnd === undefined ? writer : writer.bytes(64, rangeEnd);
}

function operationWriter(operation: Operation): ProtoWriter {
  if (operation.do === 'range') return new ProtoWriter().message(1, rangeWriter(operation));
  const key = new ProtoWriter().bytes(1, operation.key);
  return operation.do === 'put'
    ? new ProtoWriter().message(2, key.bytes(2, operation.value))
    : new ProtoWriter().message(3, key.bytes(2, operation.rangeEnd ?? none));
}

function rangeWriter(range: Range): ProtoWriter {
  return new ProtoWriter()
    .bytes(1, range.key)
    .bytes(2, range.rangeEnd ?? none)
    .uint(3, range.limit ?? 0)
    .uint(4, range.revision ?? 0)
    .flag(7, range.serializable ?? false)
    .flag(8, range.keysOnly ?? false);
}

const none = new Uint8Array(0);

export function decodeTxn(bytes: Uint8Array): TxnResult {
  const reader = new ProtoReader(bytes);
  let revision = 0;
  let succeeded = false;
  const results: RangeResult[] = [];
  while (reader.next()) {
    if (reader.field === 1) revision = decodeHeader(reader.bytes()).revision;
    else if (reader.field === 2) succeeded = reader.flag();
    else if (reader.field === 3) results.push(decodeOperation(reader.bytes()));
  }
  return { revision, succeeded, results };
}

function decodeOperation(bytes: Uint8Array): RangeResult {
  const reader = new ProtoReader(bytes);
  let result: RangeResult = { kvs: [], more: false };
  while (reader.next()) if (reader.field === 1) result = decodeRange(reader.bytes());
  return result;
}

function decodeRange(bytes: Uint8Array): RangeResult {
  const reader = new ProtoReader(bytes);
  const kvs: KeyValue[] = [];
  let more = false;
  while (reader.next()) {
    if (reader.field === 2) kvs.push(decodeKeyValue(reader.bytes()));
    else if (reader.field === 3) more = reader.flag();
  }
  return { kvs, more };
}

function decodeKeyValue(bytes: Uint8Array): KeyValue {
  const reader = new ProtoReader(bytes);
  let [key, value]: Uint8Array[] = [none, none];
  let [createRevision, modRevision] = [0, 0];
  while (reader.next()) {
    if (reader.field === 1) key = reader.bytes();
    else if (reader.field === 2) createRevision = reader.number();
    else if (reader.field === 3) modRevision = reader.number();
    else if (reader.field === 5) value = reader.bytes();
  }
  return { key: key ?? none, value: value ?? none, createRevision, modRevision };
}

function decodeHeader(bytes: Uint8Array): { memberId: bigint; revision: number } {
  const reader = new ProtoReader(bytes);
  let memberId = 0n;
  let revision = 0;
  while (reader.next()) {
    if (reader.field === 2) memberId = reader.id();
    else if (reader.field === 3) revision = reader.number();
  }
  return { memberId, revision };
}

export function encodeWatchCreate({ key, rangeEnd, startRevision }: WatchRequest): Buffer {
  // Fragmented (8): otherwise everything that a watcher missed may come as one message.
  const create = new ProtoWriter()
    .bytes(1, key)
    .bytes(2, rangeEnd)
    .uint(3, startRevision)
    .flag(8, true);
  return new ProtoWriter().message(1, create).finish();
}

export interface WatchMessage {
  readonly revision: number;
  /** Present if the watch is over; `reason` may be empty. */
  readonly ended: { readonly compacted: boolean; readonly reason: string } | undefined;
  readonly events: readonly WatchEvent[];
}

export function decodeWatch(bytes: Uint8Array): WatchMessage {
  const reader = new ProtoReader(bytes);
  const events: WatchEvent[] = [];
  let [revision, compactRevision, reason, canceled] = [0, 0, '', false];
  while (reader.next()) {
    if (reader.field === 1) revision = decodeHeader(reader.bytes()).revision;
    else if (reader.field === 4) canceled = reader.flag();
    else if (reader.field === 5) compactRevision = reader.number();
    else if (reader.field === 6) reason = reader.text();
    else if (reader.field === 11) events.push(decodeEvent(reader.bytes()));
  }
  const ended = canceled ? { compacted: compactRevision > 0, reason } : undefined;
  return { revision, ended, events };
}

function decodeEvent(bytes: Uint8Array): WatchEvent {
  const reader = new ProtoReader(bytes);
  let deleted = false;
  let kv: KeyValue = { key: none, value: none, createRevision: 0, modRevision: 0 };
  while (reader.next()) {
    if (reader.field === 1) deleted = reader.number() === DELETE_EVENT;
    else if (reader.field === 2) kv = decodeKeyValue(reader.bytes());
  }
  return { deleted, kv };
}

export function decodeStatus(bytes: Uint8Array): MemberStatus {
  const reader = new ProtoReader(bytes);
  let [memberId, leaderId] = [0n, 0n];
  let [raftTerm, fileBytes, bytesInUse, quotaBytes] = [0, 0, 0, Infinity];
  let isLearner = false;
  const alarms: string[] = [];
  while (reader.next()) {
    if (reader.field === 1) memberId = decodeHeader(reader.bytes()).memberId;
    else if (reader.field === 3) fileBytes = reader.number();
    else if (reader.field === 4) leaderId = reader.id();
    else if (reader.field === 6) raftTerm = reader.number();
    else if (reader.field === 8) alarms.push(reader.text());
    else if (reader.field === 9) bytesInUse = reader.number();
    else if (reader.field === 10) isLearner = reader.flag();
    else if (reader.field === 12) quotaBytes = quotaOf(reader.id());
  }
  // Alarms come as "memberID:… alarm:NOSPACE", among other error texts.
  const stands = (alarm: string): boolean => alarms.some((text) => text.includes(`alarm:${alarm}`));
  const [noSpace, corrupt] = [stands('NOSPACE'), stands('CORRUPT')];
  const sizes = { fileBytes, bytesInUse, quotaBytes };
  return { memberId, leaderId, raftTerm, ...sizes, isLearner, noSpace, corrupt };
}

/** Converts a quota; a negative one means no quota (etcd's --quota-backend-bytes). */
function quotaOf(value: bigint): number {
  const bytes = Number(BigInt.asIntN(64, value));
  return bytes > 0 ? bytes : Infinity;
}

export const encodeCompact = (revision: number): Buffer =>
  new ProtoWriter().uint(1, revision).finish();

export const encodeMoveLeader = (memberId: bigint): Buffer =>
  new ProtoWriter().uint(1, memberId).finish();

/** Encodes the request that disarms NOSPACE for one member: an alarm belongs to the member that raised it. */
export const encodeDisarmNoSpace = (memberId: bigint): Buffer =>
  new ProtoWriter().uint(1, DEACTIVATE).uint(2, memberId).uint(3, NOSPACE).finish();

/** Decodes the members that have no space from the answer to an empty AlarmRequest, which lists all alarms. */
export function decodeNoSpaceMembers(bytes: Uint8Array): bigint[] {
  const reader = new ProtoReader(bytes);
  const members: bigint[] = [];
  while (reader.next()) {
    if (reader.field !== 2) continue;
    const alarm = new ProtoReader(reader.bytes());
    let [memberId, type] = [0n, 0];
    while (alarm.next()) {
      if (alarm.field === 1) memberId = alarm.id();
      else if (alarm.field === 2) type = alarm.number();
    }
    if (type === NOSPACE) members.push(memberId);
  }
  return members;
}

export const encodeMemberList = (): Buffer => new ProtoWriter().flag(1, true).finish();

export const encodeAddLearner = (peerUrl: string): Buffer =>
  new ProtoWriter().bytes(1, Buffer.from(peerUrl)).flag(2, true).finish();

/** Encodes a MemberRemoveRequest or a MemberPromoteRequest. */
export const encodeMemberId = (memberId: bigint): Buffer =>
  new ProtoWriter().uint(1, memberId).finish();

/** Decodes the members from the answer to a list, a removal or a promotion. */
export const decodeMembers = (bytes: Uint8Array): EtcdMember[] => membersIn(bytes, 2);

/** Decodes the members from the answer to an addition, in which the new member also stands alone before the list. */
export const decodeMembersAdded = (bytes: Uint8Array): EtcdMember[] => membersIn(bytes, 3);

function membersIn(bytes: Uint8Array, field: number): EtcdMember[] {
  const reader = new ProtoReader(bytes);
  const members: EtcdMember[] = [];
  while (reader.next()) if (reader.field === field) members.push(decodeMember(reader.bytes()));
  return members;
}

function decodeMember(bytes: Uint8Array): EtcdMember {
  const reader = new ProtoReader(bytes);
  let [id, name, isLearner] = [0n, '', false];
  const peerUrls: string[] = [];
  while (reader.next()) {
    if (reader.field === 1) id = reader.id();
    else if (reader.field === 2) name = reader.text();
    else if (reader.field === 3) peerUrls.push(reader.text());
    else if (reader.field === 5) isLearner = reader.flag();
  }
  return { id, name, peerUrls, isLearner };
}
