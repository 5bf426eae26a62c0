/** The double's connections: each replica listens at its own entry of the list and dials all the others. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { HostPort } from '../../base/host-port.ts';
import type { ReplicaIdentity } from '../../engine/log/log.ts';
import { encodeHello, lineLengthMax, parseHello, Request, type Hello } from './hello.ts';

/** A hello counts for this long. */
const heardMs = 2_000;
/** A connection that is silent for this long is closed, because its other end may have vanished. */
const silenceMs = 3_000;
const connectionsMax = 64;

/** Answers each line of a peer with a hello. Closes the connection of anything else, such as a client. */
export function serveHellos(
  { host, port }: HostPort,
  hello: () => Hello,
  commit: (operations: number) => void,
): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    onLines(socket, (line) => {
      const [request, operations] = line.split(' ');
      const commits = request === Request.commit && /^\d{1,4}$/.test(operations ?? '');
      if (commits) commit(Number(operations));
      if (commits || request === Request.hello) socket.write(encodeHello(hello()));
      else socket.destroy();
    });
  });
  server.maxConnections = connectionsMax;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => resolve(server));
  });
}

/** Another replica. It is asked repeatedly over one connection, which is replaced when it breaks. */
export class Peer {
  readonly #address: HostPort;
  readonly #expected: ReplicaIdentity;
  #socket: Socket | undefined;
  #dialedMs = 0;
  #heard: { readonly hello: Hello; readonly atMs: number } | undefined;

  /** `expected`: the replica that must answer. Another replica or cluster does not count as reached. */
  constructor(address: HostPort, expected: ReplicaIdentity) {
    this.#address = address;
    this.#expected = expected;
  }

  get lately(): Hello | undefined {
    const { atMs = -Infinity, hello } = this.#heard ?? {};
    return performance.now() - atMs <= heardMs ? hello : undefined;
  }

  ask(request: string = Request.hello): void {
    const since = Math.max(this.#dialedMs, this.#heard?.atMs ?? 0);
    if (performance.now() - since > silenceMs) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    this.#socket ??= this.#dial();
    // Node buffers the line until the socket is connected.
    if (this.#socket.writableLength < lineLengthMax) this.#socket.write(`${request}\n`);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #dial(): Socket {
    const socket = connect(this.#address);
    this.#dialedMs = performance.now();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
    onLines(socket, (line) => {
      const hello = parseHello(line);
      if (hello !== undefined && isReplica(hello, this.#expected)) {
        this.#heard = { hello, atMs: performance.now() };
      } else socket.destroy();
    });
    return socket;
  }
}

const isReplica = (hello: Hello, expected: ReplicaIdentity) =>
  hello.clusterId === expected.clusterId &&
  hello.replicaIndex === expected.replicaIndex &&
  hello.replicaCount === expected.replicaCount;

function onLines(socket: Socket, take: (line: string) => void): void {
  let pending = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    pending += chunk;
    for (let end = pending.indexOf('\n'); end >= 0; end = pending.indexOf('\n')) {
      take(pending.slice(0, end));
      pending = pending.slice(end + 1);
    }
    if (pending.length > lineLengthMax) socket.destroy();
  });
}
