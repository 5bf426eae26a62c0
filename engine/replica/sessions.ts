/**
 * Client sessions: part of the replicated state, changed by logged operations only, so that every replica and every replay
 * has the same. Each session keeps the reply to its last logged request, so that a repeated request is answered from it
 * instead of being executed twice. Replies to reads are also kept, but only in this process, because reads are not logged.
 */
import type { Section, SectionHead } from '../ledger/checkpoint.ts';
import { SectionKind } from '../ledger/checkpoint.ts';
import { assert } from '../../base/assert.ts';
import { headerSize, sessionsMax } from '../wire/limits.ts';

/** Table number of the sessions in checkpoints. A restore or an import leaves the table out, so clients register again. */
export const sessionsTable = 100;

export interface Reply {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

export interface Session {
  readonly client: bigint;
  /** Number of the session: the op of its register operation. */
  readonly session: bigint;
  readonly release: number;
  /** The last logged request: its number, its op, its header's checksum (16 bytes) and its reply. */
  lastRequest: number;
  lastOp: number;
  requestChecksum: Uint8Array;
  reply: Reply;
  /** The last read since then, known to this process only. */
  read?:
    | { readonly request: number; readonly requestChecksum: Uint8Array; readonly reply: Reply }
    | undefined;
}

/** Bytes of a session in a checkpoint before its reply's body (see engine/log/FORMAT.md, table 100). */
const fixedSize = 16 + 8 + 4 + 4 + 8 + 16 + headerSize + 4;

export class SessionTable {
  readonly #sessions = new Map<bigint, Session>();

  get size(): number {
    return this.#sessions.size;
  }

  get(client: bigint): Session | undefined {
    return this.#sessions.get(client);
  }

  /** Adds a session. A full table drops the session whose last logged request is the oldest, and returns it. */
  register(session: Session): Session | undefined {
    let evicted: Session | undefined;
    if (!this.#sessions.has(session.client) && this.#sessions.size === sessionsMax) {
      for (const candidate of this.#sessions.values()) {
        if (evicted === undefined || candidate.lastOp < evicted.lastOp) evicted = candidate;
      }
      assert(evicted !== undefined, 'a full table has an oldest session');
      this.#sessions.delete(evicted.client);
    }
    this.#sessions.set(session.client, session);
    return evicted;
  }

  /** Returns the whole table as one section: it is small (64 sessions). */
  takeSection(): Section {
    const bytes = this.#encode();
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += 1 << 20)
      chunks.push(bytes.subarray(at, at + (1 << 20)));
    return {
      kind: SectionKind.replace,
      table: sessionsTable,
      rowSize: 1,
      firstRow: 0,
      rowCount: bytes.length,
      chunks,
    };
  }

  async loadSection(head: SectionHead, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const bytes = new Uint8Array(head.rowCount);
    let at = 0;
    for await (const chunk of chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    assert(at === bytes.length, 'the sessions section is as long as its head says');
    this.#decode(bytes);
  }

  #encode(): Uint8Array {
    const sessions = [...this.#sessions.values()];
    const size = sessions.reduce((sum, { reply }) => sum + fixedSize + reply.body.length, 0);
    const bytes = new Uint8Array(size);
    const view = new DataView(bytes.buffer);
    let at = 0;
    for (const session of sessions) {
      view.setBigUint64(at, session.client & 0xffff_ffff_ffff_ffffn, true);
      view.setBigUint64(at + 8, session.client >> 64n, true);
      view.setBigUint64(at + 16, session.session, true);
      view.setUint32(at + 24, session.release, true);
      view.setUint32(at + 28, session.lastRequest, true);
      view.setBigUint64(at + 32, BigInt(session.lastOp), true);
      bytes.set(session.requestChecksum, at + 40);
      bytes.set(session.reply.header, at + 56);
      view.setUint32(at + 56 + headerSize, session.reply.body.length, true);
      bytes.set(session.reply.body, at + fixedSize);
      at += fixedSize + session.reply.body.length;
    }
    return bytes;
  }

  #decode(bytes: Uint8Array): void {
    this.#sessions.clear();
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < bytes.length;) {
      const bodySize = view.getUint32(at + 56 + headerSize, true);
      const client = view.getBigUint64(at, true) | (view.getBigUint64(at + 8, true) << 64n);
      this.#sessions.set(client, {
        client,
        session: view.getBigUint64(at + 16, true),
        release: view.getUint32(at + 24, true),
        lastRequest: view.getUint32(at + 28, true),
        lastOp: Number(view.getBigUint64(at + 32, true)),
        requestChecksum: bytes.slice(at + 40, at + 56),
        reply: {
          header: bytes.slice(at + 56, at + 56 + headerSize),
          body: bytes.slice(at + fixedSize, at + fixedSize + bodySize),
        },
      });
      at += fixedSize + bodySize;
    }
  }
}
