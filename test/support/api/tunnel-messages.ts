/** Messages of a client that speaks through a tunnel by itself: it sends nothing twice, however long an answer takes. */
import type { WebSocket } from 'ws';
import { putU128 } from '../../../engine/commands/workload.ts';
import { buildRequest, ReplyHeader } from '../../../engine/wire/header.ts';
import { MessageReader, type Message } from '../../../engine/wire/message-reader.ts';
import { encodeMultiBatch } from '../../../engine/wire/multi-batch.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { engineRelease } from '../../../engine/wire/release.ts';
import { eventually } from '../shell.ts';

export function message(
  operation: number,
  body: Uint8Array,
  { client = 9n, session = 1n, request = 1, parent = new Uint8Array(16) } = {},
): Buffer {
  const header = buildRequest(
    {
      cluster: 0n,
      view: 0,
      release: engineRelease,
      client,
      session,
      request,
      operation,
      parent,
    },
    body,
  );
  return Buffer.concat([header, body]);
}

/** Messages that arrive at a tunnel's client. */
export function answersOf(socket: WebSocket): readonly Message[] {
  const messages: Message[] = [];
  const reader = new MessageReader(0n);
  socket.on('message', (data, isBinary) => {
    if (isBinary) reader.push(data as Buffer, (one) => messages.push(one));
  });
  return messages;
}

export const answered = (answers: readonly Message[], count: number): Promise<Message> =>
  eventually(`${count} answers`, async () => answers[count - 1]);

export const register = (client: bigint): Buffer =>
  message(Operation.register, new Uint8Array(256), { client, session: 0n, request: 0 });

export function lookupOf(ids: readonly bigint[]): Uint8Array {
  const bytes = new Uint8Array(16 * ids.length);
  const view = new DataView(bytes.buffer);
  ids.forEach((id, i) => putU128(view, 16 * i, id));
  return encodeMultiBatch([bytes], 16);
}

/** Registers a client, and sends its requests one after the other, each once. */
export async function sendOnce(
  socket: WebSocket,
  client: bigint,
  requests: readonly (readonly [operation: number, body: Uint8Array])[],
): Promise<void> {
  const answers = answersOf(socket);
  socket.send(register(client));
  let reply = new ReplyHeader((await answered(answers, 1)).header);
  const session = reply.op;
  for (const [index, [operation, body]] of requests.entries()) {
    const parent = reply.context.slice();
    socket.send(message(operation, body, { client, session, request: index + 1, parent }));
    reply = new ReplyHeader((await answered(answers, index + 2)).header);
  }
}
