/** A client that sends queries for full pages in one write and hardly reads the answers. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { buildRequest, Command, ReplyHeader } from '../../../engine/wire/header.ts';
import { MessageReader } from '../../../engine/wire/message-reader.ts';
import { encodeMultiBatch } from '../../../engine/wire/multi-batch.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { engineRelease } from '../../../engine/wire/release.ts';
import { batchSize } from './ledger.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const PIPELINED = 300;

/** Connects, registers a session and asks for pages. The socket is paused. Rejects if the connection ends first. */
export async function openDeafReader(address: Address): Promise<Socket> {
  const socket = await openSocket(address);
  const session = await register(socket);
  socket.pause();
  const body = encodeMultiBatch([pageFilter()], 64);
  const all = Array.from({ length: PIPELINED }, (_, i) =>
    // Numbers rise by two, so that no `parent` is asked for.
    requestMessage({ ...session, number: 2 * (i + 1), operation: Operation.queryTransfers }, body),
  );
  socket.write(Buffer.concat(all));
  return socket;
}

export async function openSocket(address: Address): Promise<Socket> {
  const socket = connect(address);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

interface Sent {
  readonly client: bigint;
  readonly session: bigint;
  readonly number: number;
  readonly operation: number;
}

export function requestMessage({ number, ...fields }: Sent, body: Uint8Array): Buffer {
  const frame = { cluster: 0n, view: 0, release: engineRelease, parent: new Uint8Array(16) };
  return Buffer.concat([buildRequest({ ...frame, ...fields, request: number }, body), body]);
}

/** Registers a session. Rejects if the connection ends first. */
async function register(socket: Socket): Promise<{ client: bigint; session: bigint }> {
  const client = randomBytes(8).readBigUInt64LE() | 1n;
  const reader = new MessageReader(0n);
  const session = new Promise<bigint>((resolve, reject) => {
    socket.once('close', () => reject(new Error('closed')));
    socket.on('data', (chunk) =>
      reader.push(chunk, ({ header }) => {
        if (header.command === Command.reply) resolve(new ReplyHeader(header).commit);
      }),
    );
  });
  const head = { client, session: 0n, number: 0, operation: Operation.register };
  socket.write(requestMessage(head, new Uint8Array(256)));
  return { client, session: await session };
}

/** A filter that selects a full page of transfers with code 1. */
function pageFilter(): Uint8Array {
  const words = new Uint32Array(16);
  words[8] = 1;
  words[14] = batchSize;
  return new Uint8Array(words.buffer);
}
