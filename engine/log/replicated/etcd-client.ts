/**
 * A client of one etcd member over gRPC. It has three connections, so that no small call waits behind a block: one for
 * appended blocks, one for watches, one for everything else.
 */
import {
  EtcdError,
  type CallOptions,
  type Etcd,
  type EtcdMembership,
  type WatchHandler,
  type WatchRequest,
} from './etcd.ts';
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
  type WatchMessage,
} from './etcd-messages.ts';
import { Channel, GrpcError } from './grpc/channel.ts';
import { ProtoError } from './protobuf.ts';

/**
 * Creates a client for `target`: `unix:/path/of/socket` or `host:port`. It connects on first use and reconnects when
 * needed.
 */
export function createEtcdClient(target: string): Etcd & EtcdMembership {
  const [blocks, watches, control] = [
    new Channel(target),
    new Channel(target),
    new Channel(target),
  ];
  const kv = (method: string): string => `/etcdserverpb.KV/${method}`;
  const maintenance = (method: string): string => `/etcdserverpb.Maintenance/${method}`;
  const cluster = (method: string): string => `/etcdserverpb.Cluster/${method}`;
  const nothing = Buffer.alloc(0);
  return {
    txn: (request, options) => call(control, kv('Txn'), encodeTxn(request), options, decodeTxn),
    append: (request, options) => call(blocks, kv('Txn'), encodeTxn(request), options, decodeTxn),
    compact: async (revision, options) => {
      try {
        await call(control, kv('Compact'), encodeCompact(revision), options, unread);
      } catch (error) {
        if (!(error instanceof EtcdError) || error.code !== 'compacted') throw error;
      }
    },
    status: (options) => call(control, maintenance('Status'), nothing, options, decodeStatus),
    moveLeader: (memberId, options) =>
      call(control, maintenance('MoveLeader'), encodeMoveLeader(memberId), options, unread),
    defragment: (options) => call(control, maintenance('Defragment'), nothing, options, unread),
    disarmNoSpace: async (options) => {
      const alarm = maintenance('Alarm');
      for (const memberId of await call(control, alarm, nothing, options, decodeNoSpaceMembers))
        await call(control, alarm, encodeDisarmNoSpace(memberId), options, unread);
    },
    members: (options) =>
      call(control, cluster('MemberList'), encodeMemberList(), options, decodeMembers),
    addLearner: (peerUrl, options) =>
      call(control, cluster('MemberAdd'), encodeAddLearner(peerUrl), options, decodeMembersAdded),
    removeMember: (memberId, options) =>
      call(control, cluster('MemberRemove'), encodeMemberId(memberId), options, decodeMembers),
    promoteMember: (memberId, options) =>
      call(control, cluster('MemberPromote'), encodeMemberId(memberId), options, decodeMembers),
    watch: (request, handler) => watch(watches, request, handler),
    close: () => [blocks, watches, control].forEach((channel) => channel.close()),
  };
}

const unread = (): void => undefined;

/** Makes a unary call. An answer that cannot be decoded counts as no answer. */
async function call<T>(
  channel: Channel,
  path: string,
  request: Buffer,
  options: CallOptions,
  decode: (response: Buffer) => T,
): Promise<T> {
  try {
    return decode(await channel.call(path, request, options));
  } catch (error) {
    if (error instanceof GrpcError) throw errorOf(error);
    if (!(error instanceof ProtoError)) throw error;
    throw new EtcdError('unavailable', `${path}: ${error.message}`, { cause: error });
  }
}

function watch(channel: Channel, request: WatchRequest, handler: WatchHandler): () => void {
  const path = '/etcdserverpb.Watch/Watch';
  let over = false;
  const end = (error: EtcdError | undefined): void => {
    if (over) return;
    over = true;
    stop();
    if (error !== undefined) handler.onEnd(error);
  };
  const onMessage = (bytes: Buffer): void => {
    let message: WatchMessage;
    try {
      message = decodeWatch(bytes);
    } catch (error) {
      if (!(error instanceof ProtoError)) throw error;
      return end(new EtcdError('unavailable', `${path}: ${error.message}`, { cause: error }));
    }
    if (message.events.length > 0) handler.onEvents(message.events, message.revision);
    if (message.ended === undefined) return;
    const { compacted, reason } = message.ended;
    end(new EtcdError(compacted ? 'compacted' : 'unavailable', `the watch was ended: ${reason}`));
  };
  const stop = channel.stream(path, encodeWatchCreate(request), {
    onMessage,
    onEnd: (outcome) => end(errorOf(new GrpcError(path, outcome))),
  });
  return () => end(undefined);
}

function errorOf(error: GrpcError): EtcdError {
  return new EtcdError(codeOf(error), error.message, { cause: error });
}

function codeOf({ code, message }: GrpcError): EtcdError['code'] {
  // "Too many requests" has the same code and no other mark (etcd, api/v3rpc/rpctypes/error.go).
  if (message.includes('database space exceeded')) return 'no_space';
  return codes.get(code) ?? 'unavailable';
}

/** By status of gRPC (grpc.io, "Status codes"). */
const codes: ReadonlyMap<number, EtcdError['code']> = new Map([
  [1, 'cancelled'],
  // Invalid argument.
  [3, 'refused'],
  // Deadline exceeded.
  [4, 'timeout'],
  // Permission denied.
  [7, 'refused'],
  // Out of range.
  [11, 'compacted'],
  // Unimplemented.
  [12, 'refused'],
  // Unauthenticated.
  [16, 'refused'],
]);
