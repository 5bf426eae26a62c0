/**
 * A small state machine with every kind of section: a table that grows, one whose rows change, one that is replaced. Its
 * content after op N is a function of the messages up to N; tests check recovery against it.
 */
import { createHash } from 'node:crypto';
import type { Checkpointed, Section, SectionHead } from '../../ledger/checkpoint.ts';
import { SESSIONS_TABLE } from '../layout.ts';
import type { LogEntry } from '../log.ts';

const HISTORY = 1;
const COUNTERS = 2;
const COUNTER_COUNT = 16;
const HISTORY_ROW = 16;

export class ToyState implements Checkpointed {
  op = 0;
  history: Uint8Array[] = [];
  counters = new Uint32Array(COUNTER_COUNT);
  session = 0;
  #historyGiven = 0;
  #countersGiven = false;
  readonly #dirty = new Set<number>();

  execute({ op, message }: Pick<LogEntry, 'op' | 'message'>): void {
    this.op = op;
    this.history.push(createHash('sha256').update(message).digest().subarray(0, HISTORY_ROW));
    const counter = op % COUNTER_COUNT;
    this.counters[counter]! += message.length + 1;
    this.#dirty.add(counter);
    this.session = op;
  }

  digest(withSession = true): string {
    const hash = createHash('sha256');
    for (const row of this.history) hash.update(row);
    hash.update(new Uint8Array(this.counters.buffer));
    if (withSession) hash.update(String(this.session));
    return hash.digest('hex');
  }

  /** The first 16 bytes of the digest. */
  stateHash(): Uint8Array {
    return Buffer.from(this.digest(), 'hex').subarray(0, 16);
  }

  takeDelta(rewrite: ReadonlySet<number>): readonly Section[] {
    const sections: Section[] = [];
    const firstRow = rewrite.has(HISTORY) ? 0 : this.#historyGiven;
    const rows = this.history.slice(firstRow);
    if (rows.length > 0) {
      sections.push({
        ...head('append', HISTORY, HISTORY_ROW),
        firstRow,
        rowCount: rows.length,
        chunks: rows,
      });
    }
    this.#historyGiven = this.history.length;
    sections.push(...this.#counterSections(rewrite.has(COUNTERS)));
    const session = new Uint8Array(Uint32Array.of(this.session).buffer);
    sections.push({
      ...head('replace', SESSIONS_TABLE, 1),
      rowCount: session.length,
      chunks: [session],
    });
    return sections;
  }

  #counterSections(rewrite: boolean): Section[] {
    const whole = rewrite || !this.#countersGiven;
    const rows = [...this.#dirty].map((row) => Uint32Array.of(row, this.counters[row]!));
    this.#countersGiven = true;
    this.#dirty.clear();
    if (whole) {
      const chunks = [new Uint8Array(this.counters.slice().buffer)];
      return [
        { ...head(rewrite ? 'replace' : 'append', COUNTERS, 4), rowCount: COUNTER_COUNT, chunks },
      ];
    }
    if (rows.length === 0) return [];
    const chunks = rows.map((row) => new Uint8Array(row.buffer));
    return [{ ...head('update', COUNTERS, 4), rowCount: rows.length, chunks }];
  }

  stored(): void {
    // Nothing leaves memory.
  }

  async loadSection(
    { kind, table }: SectionHead,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk.slice());
    const bytes = Buffer.concat(parts);
    if (table === HISTORY) {
      for (let at = 0; at < bytes.length; at += HISTORY_ROW) {
        this.history.push(bytes.subarray(at, at + HISTORY_ROW));
      }
    } else if (table === SESSIONS_TABLE) {
      this.session = bytes.readUInt32LE(0);
    } else if (kind === 2) {
      for (let at = 0; at < bytes.length; at += 8) {
        this.counters[bytes.readUInt32LE(at)] = bytes.readUInt32LE(at + 4);
      }
    } else {
      for (let row = 0; row < COUNTER_COUNT; row += 1)
        this.counters[row] = bytes.readUInt32LE(row * 4);
    }
  }

  async finishLoad(): Promise<void> {
    this.#historyGiven = this.history.length;
    this.#countersGiven = this.history.length > 0;
    this.op = this.history.length;
  }
}

const kinds = { append: 1, update: 2, replace: 3 } as const;

function head(
  kind: keyof typeof kinds,
  table: number,
  rowSize: number,
): Omit<SectionHead, 'rowCount'> {
  return { kind: kinds[kind], table, rowSize, firstRow: 0 };
}

/** Returns the state after these messages. */
export function modelOf(messages: readonly Uint8Array[]): ToyState {
  const state = new ToyState();
  for (const [index, message] of messages.entries()) state.execute({ op: index + 1, message });
  return state;
}
