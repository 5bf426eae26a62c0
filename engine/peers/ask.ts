/** Asks one replica one question, on a connection of its own: JSON both ways. */
import { FrameKind, FrameReader, jsonFrame, jsonOf } from './frames.ts';
import type { PeerSecurity } from './peer-security.ts';

interface AskOptions {
  readonly address: { readonly host: string; readonly port: number };
  readonly security: PeerSecurity;
  /** The `hello` frame, which identifies the asking replica. */
  readonly hello: Buffer;
  readonly question: object;
}

/** Timeout of an answer, which may need up to two changes of etcd's membership. */
const ANSWER_MAX_MS = 15_000;

/** Resolves with the answer. Rejects when none comes, or the replica reports a failure. */
export async function ask({ address, security, hello, question }: AskOptions): Promise<unknown> {
  const socket = security.connect(address, () =>
    socket.write(Buffer.concat([hello, jsonFrame(FrameKind.question, question)])),
  );
  const late = setTimeout(() => socket.destroy(new Error('no answer')), ANSWER_MAX_MS);
  const reader = new FrameReader();
  try {
    for await (const chunk of socket) {
      const frames: { kind: number; payload: Uint8Array }[] = [];
      if (!reader.push(chunk as Buffer, (kind, bytes) => frames.push({ kind, payload: bytes })))
        throw new Error('the answer is malformed');
      const [frame] = frames;
      if (frame === undefined) continue;
      if (frame.kind === FrameKind.end) return jsonOf(frame.payload);
      throw new Error(Buffer.from(frame.payload).toString());
    }
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
  throw new Error('the connection ended without an answer: is it a replica of this database?');
}
