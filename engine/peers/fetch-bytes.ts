/** Fetches bytes from a peer, a data file or pages of one, on a connection of its own. */
import { FrameKind, FrameReader, jsonOf } from './frames.ts';
import { bytesOf } from './peer-messages.ts';
import type { PeerSecurity } from './peer-security.ts';

interface FetchOptions {
  readonly address: { readonly host: string; readonly port: number };
  readonly security: PeerSecurity;
  /** The `hello` frame, which identifies the asking replica. */
  readonly hello: Buffer;
  /** The frame that asks for them. */
  readonly request: Buffer;
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Timeout of the first bytes; by default so long that the peer can write a checkpoint before. */
  readonly firstMaxMs?: number;
  /** Timeout of everything; by default there is none while more and more arrives. */
  readonly wholeMaxMs?: number;
}

/** Timeout of the first page, before which the peer may have to write a checkpoint. */
const FIRST_PAGE_MAX_MS = 60_000;
const PAGE_MAX_MS = 10_000;

/** Resolves when everything was written. Rejects when it arrives incomplete. */
export async function fetchBytes(options: FetchOptions): Promise<void> {
  const { address, security, hello, request, write, firstMaxMs = FIRST_PAGE_MAX_MS } = options;
  const socket = security.connect(address, () => socket.write(Buffer.concat([hello, request])));
  socket.setTimeout(firstMaxMs, () => socket.destroy(new Error('the peer sends nothing')));
  const late =
    options.wholeMaxMs === undefined
      ? undefined
      : setTimeout(() => socket.destroy(new Error('the peer is too slow')), options.wholeMaxMs);
  const reader = new FrameReader();
  let bytes = 0;
  try {
    for await (const chunk of socket) {
      const frames: { kind: number; payload: Uint8Array }[] = [];
      if (!reader.push(chunk as Buffer, (kind, payload) => frames.push({ kind, payload })))
        throw new Error('the peer sent a message that is no state');
      for (const { kind, payload } of frames) {
        if (kind === FrameKind.page) {
          socket.setTimeout(PAGE_MAX_MS);
          await write(payload);
          bytes += payload.length;
        } else if (kind === FrameKind.end && bytesOf(jsonOf(payload)) === bytes) return;
        else throw new Error(`the peer sent no state: ${Buffer.from(payload).toString()}`);
      }
    }
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
  throw new Error('the connection ended before the state was whole');
}
