/**
 * A client of one etcd member over gRPC. Three connections, so that no small call waits behind a block: one for blocks on
 * their way in, one for watches, one for all else.
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
  type WatchHandler,
  type WatchRequest,
} from './etcd.ts';
import {
  decodeNoSpaceMembers,
  decodeStatus,
  decodeTxn,
  decodeWatch,
  encodeCompact,
  encodeDisarmNoSpace,
  encodeMoveLeader,
  encodeTxn,
  encodeWatchCreate,
  type WatchMessage,
} from './etcd-messages.ts';

/** A page of blocks, twice: more is no answer of a healthy member. */
const MESSAGE_SIZE_MAX = 32 << 20;
/** Ids of open streams are few; a window of a few blocks keeps each of them moving. */
const WINDOW_BYTES = 8 << 20;

/** `target`: `unix:/path/of/socket` or `host:port`. Connects when it is first used, and again whenever it must. */
export function createEtcdClient(target: string): Etcd {
  const [blocks, watches, control] = [connect(target), connect(target), connect(target)];
  const kv = (method: string): string => `/etcdserverpb.KV/${method}`;
  const maintenance = (method: string): string => `/etcdserverpb.Maintenance/${method}`;
  const nothing = Buffer.alloc(0);
  return {
    txn: async (request, options) =>
      decodeTxn(await call(control, kv('Txn'), encodeTxn(request), options)),
    append: async (request, options) =>
      decodeTxn(await call(blocks, kv('Txn'), encodeTxn(request), options)),
    compact: async (revision, options) => {
      try {
        await call(control, kv('Compact'), encodeCompact(revision), options);
      } catch (error) {
        if (!(error instanceof EtcdError) || error.code !== 'compacted') throw error;
      }
    },
    status: async (options) =>
      decodeStatus(await call(control, maintenance('Status'), nothing, options)),
    moveLeader: async (memberId, options) => {
      await call(control, maintenance('MoveLeader'), encodeMoveLeader(memberId), options);
    },
    defragment: async (options) => {
      await call(control, maintenance('Defragment'), nothing, options);
    },
    disarmNoSpace: async (options) => {
      const alarms = await call(control, maintenance('Alarm'), nothing, options);
      for (const memberId of decodeNoSpaceMembers(alarms))
        await call(control, maintenance('Alarm'), encodeDisarmNoSpace(memberId), options);
    },
    watch: (request, handler) => watch(watches, request, handler),
    close: () => [blocks, watches, control].forEach((client) => client.close()),
  };
}

function connect(target: string): Client {
  return new Client(target, credentials.createInsecure(), {
    // Else clients with the same target share one connection.
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

function call(
  client: Client,
  path: string,
  request: Buffer,
  { timeoutMs, signal }: CallOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(new EtcdError('cancelled', `${path} was given up before it began`));
      return;
    }
    const options = { deadline: Date.now() + timeoutMs };
    const done = (error: ServiceError | null, response?: Buffer): void => {
      signal?.removeEventListener('abort', cancel);
      if (error === null && response !== undefined) resolve(response);
      else reject(errorOf(path, error));
    };
    const running = client.makeUnaryRequest(
      path,
      asIs,
      asIs,
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

function errorOf(path: string, error: ServiceError | null): EtcdError {
  const message = `${path}: ${error?.details ?? 'no answer'}`;
  return new EtcdError(codeOf(error), message, { cause: error });
}

function codeOf(error: ServiceError | null): EtcdError['code'] {
  // "Too many requests" has the same code and no other mark (etcd, api/v3rpc/rpctypes/error.go).
  if (error?.details.includes('database space exceeded') === true) return 'no_space';
  return (error && codes.get(error.code)) ?? 'unavailable';
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
