/**
 * A client of one etcd member over gRPC. It has three connections, so that no small call waits behind a block: one for
 * appended blocks, one for watches, one for everything else.
 */
import {
  Client,
  credentials,
  Metadata,
  status as grpcStatus,
  type ServiceError,
} from '@grpc/grpc-js';
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

/** Twice a page of blocks. A healthy member sends no larger answer. */
const MESSAGE_SIZE_MAX = 32 << 20;
/** Flow-control window. Few streams are open; a window of a few blocks keeps each of them moving. */
const WINDOW_BYTES = 8 << 20;

/**
 * Creates a client for `target`: `unix:/path/of/socket` or `host:port`. It connects on first use and reconnects when
 * needed.
 */
export function createEtcdClient(target: string): Etcd & EtcdMembership {
  const [blocks, watches, control] = [connect(target), connect(target), connect(target)];
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
    close: () => [blocks, watches, control].forEach((client) => client.close()),
  };
}

function connect(target: string): Client {
  return new Client(target, credentials.createInsecure(), {
    // Without this, clients with the same target share one connection.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_retries': 0,
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 500,
    'grpc.max_receive_message_length': MESSAGE_SIZE_MAX,
    'grpc.max_send_message_length': MESSAGE_SIZE_MAX,
    'grpc-node.flow_control_window': WINDOW_BYTES,
  });
}

const asIs = (bytes: Buffer): Buffer => bytes;
const unread = (): void => undefined;

/** Makes a unary call. An answer that cannot be decoded counts as no answer. */
function call<T>(
  client: Client,
  path: string,
  request: Buffer,
  { timeoutMs, signal }: CallOptions,
  decode: (response: Buffer) => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(new EtcdError('cancelled', `${path} was cancelled before it was sent`));
      return;
    }
    const options = { deadline: Date.now() + timeoutMs };
    const done = (error: ServiceError | null, response?: T): void => {
      signal?.removeEventListener('abort', cancel);
      if (error === null) resolve(response as T);
      else reject(errorOf(path, error));
    };
    const running = client.makeUnaryRequest(
      path,
      asIs,
      decode,
      request,
      new Metadata(),
      options,
      done,
    );
    const cancel = (): void => running.cancel();
    signal?.addEventListener('abort', cancel);
  });
}

function watch(client: Client, request: WatchRequest, handler: WatchHandler): () => void {
  const path = '/etcdserverpb.Watch/Watch';
  const stream = client.makeBidiStreamRequest<Buffer, WatchMessage>(
    path,
    asIs,
    decodeWatch,
    new Metadata(),
  );
  let over = false;
  const end = (error: EtcdError | undefined): void => {
    if (over) return;
    over = true;
    stream.cancel();
    if (error !== undefined) handler.onEnd(error);
  };
  stream.on('data', (message: WatchMessage) => {
    if (over) return;
    if (message.events.length > 0) handler.onEvents(message.events, message.revision);
    if (message.ended === undefined) return;
    const { compacted, reason } = message.ended;
    end(new EtcdError(compacted ? 'compacted' : 'unavailable', `the watch was ended: ${reason}`));
  });
  stream.on('error', (error: ServiceError) => end(errorOf(path, error)));
  stream.on('end', () => end(new EtcdError('unavailable', 'the watch ended')));
  stream.write(encodeWatchCreate(request));
  return () => end(undefined);
}

function errorOf(path: string, error: ServiceError): EtcdError {
  const message = `${path}: ${error.details}`;
  return new EtcdError(codeOf(error), message, { cause: error });
}

function codeOf(error: ServiceError): EtcdError['code'] {
  // "Too many requests" has the same code and no other mark (etcd, api/v3rpc/rpctypes/error.go).
  if (error.details.includes('database space exceeded')) return 'no_space';
  return codes.get(error.code) ?? 'unavailable';
}

const codes: ReadonlyMap<number, EtcdError['code']> = new Map([
  [grpcStatus.DEADLINE_EXCEEDED, 'timeout'],
  [grpcStatus.CANCELLED, 'cancelled'],
  [grpcStatus.OUT_OF_RANGE, 'compacted'],
  [grpcStatus.INVALID_ARGUMENT, 'refused'],
  [grpcStatus.UNIMPLEMENTED, 'refused'],
  [grpcStatus.PERMISSION_DENIED, 'refused'],
  [grpcStatus.UNAUTHENTICATED, 'refused'],
]);
