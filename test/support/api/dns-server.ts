/** A DNS server on the loopback (RFC 1035): answers A and AAAA of the names that a test gives it. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { SocketAddress } from 'node:net';

const typeA = 1;
const typeAaaa = 28;

export class TestDns {
  /** Addresses of each name; a function is asked at every query. */
  readonly names = new Map<string, () => readonly string[]>();
  /** Names that were asked for, with the type of the record. */
  readonly asked: string[] = [];
  readonly #socket: Socket = createSocket('udp4');

  static async start(): Promise<TestDns> {
    const server = new TestDns();
    server.#socket.on('message', (message, { port, address }) => {
      server.#socket.send(server.#answer(message), port, address);
    });
    server.#socket.bind(0, '127.0.0.1');
    await once(server.#socket, 'listening');
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  stop(): void {
    this.#socket.close();
  }

  #answer(query: Buffer): Buffer {
    const labels: string[] = [];
    let at = 12;
    for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + size));
      at += size + 1;
    }
    const question = query.subarray(12, at + 5);
    const type = query.readUInt16BE(at + 1);
    const name = labels.join('.').toLowerCase();
    this.asked.push(`${name} ${type === typeA ? 'A' : 'AAAA'}`);
    const found = this.names.get(name);
    const records = (found?.() ?? [])
      .filter((one) => one.includes(':') === (type === typeAaaa))
      .map(bytesOf);
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    // An answer; NXDOMAIN (3) if the name is unknown.
    head.writeUInt16BE(0x8180 | (found === undefined ? 3 : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    const answers = records.map((bytes) => {
      const record = Buffer.alloc(12);
      // The name is that of the question, at byte 12; class IN; not to be kept.
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(type, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt16BE(bytes.length, 10);
      return Buffer.concat([record, bytes]);
    });
    return Buffer.concat([head, question, ...answers]);
  }
}

function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  // In its shortest form, without an IPv4 part.
  const plain = new SocketAddress({ address, family: 'ipv6' }).address.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, ...parts: string[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
      return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    },
  );
  const [left = '', right] = plain.split('::');
  const words = (text: string) => (text === '' ? [] : text.split(':'));
  const [before, after] = [words(left), words(right ?? '')];
  const zeros = right === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  const bytes = Buffer.alloc(16);
  all.forEach((word, index) => bytes.writeUInt16BE(Number.parseInt(word, 16), index * 2));
  return bytes;
}
