/** A walk along an organization's events that checks each of them, and its link to the one before, up to the first fault. */
import type { StoredEvent } from '../model/event.ts';
import type { AuditChain, ChainHead } from './audit-chain.ts';
import type { ChainFault } from './audit-ends.ts';
import { eventOf } from './events.ts';
import { uuidOf } from './ids.ts';
import type { Reader } from './tables.ts';

export class AuditWalk {
  readonly #chain: AuditChain;
  readonly #head: ChainHead;
  #previous: Buffer | undefined;
  /** Number of the event that comes next. */
  next: bigint;
  fault: ChainFault | null = null;

  /** `from`: number of the first event to check, after the base. */
  constructor(
    chain: AuditChain,
    head: ChainHead,
    base: { readonly sequence: bigint; readonly hash: Buffer },
    from = base.sequence + 1n,
  ) {
    this.#chain = chain;
    this.#head = head;
    this.next = from;
    this.#previous = from === base.sequence + 1n ? base.hash : undefined;
  }

  /** `before`: the event before the first one. Only the link to it is checked. */
  begin(before: StoredEvent | undefined): void {
    if (before?.sequence === this.next - 1n) this.#previous = before.hash;
    else if (this.next - 1n <= this.#head.sequence) this.#miss(this.next - 1n);
  }

  step(event: StoredEvent | undefined): void {
    const sequence = this.next;
    if (event?.sequence !== sequence) return this.#miss(sequence);
    const { previousHash, hash, ...content } = event;
    const { keyedFrom } = this.#head;
    if (content.keyVersion === null && keyedFrom !== null && sequence >= keyedFrom) {
      this.fault = {
        code: 'unkeyed',
        sequence,
        detail: `Event ${sequence} has no keyed hash, although the chain is keyed from ${keyedFrom} on. An earlier release or somebody without the key wrote it.`,
      };
      return;
    }
    const expected = this.#chain.hash(previousHash, content);
    if (expected === undefined) {
      this.fault = {
        code: 'unknown_key',
        sequence,
        detail: `The signing key ${content.keyVersion} of event ${sequence} is missing. Add it to the other signing keys of the API.`,
      };
      return;
    }
    if (this.#previous?.equals(previousHash) !== true || !expected.equals(hash)) {
      const detail = `Event ${sequence} was altered, or does not follow the event before it.`;
      this.fault = { code: 'altered', sequence, detail };
      return;
    }
    this.#previous = hash;
    this.next += 1n;
  }

  end(): void {
    const { sequence, hash } = this.#head;
    if (this.next !== sequence + 1n || this.#previous?.equals(hash) === true) return;
    this.fault = {
      code: 'head_altered',
      sequence,
      detail: 'The head does not belong to the last event.',
    };
  }

  #miss(sequence: bigint): void {
    this.fault = { code: 'missing', sequence, detail: `Event ${sequence} is missing.` };
  }
}

const batch = 500;

/** Walks up to the event with the number `end`, or to the first fault. */
export async function walkTo(
  db: Reader,
  organizationId: string,
  walk: AuditWalk,
  end: bigint,
  onSound: (event: StoredEvent) => void = () => {},
): Promise<void> {
  while (walk.fault === null && walk.next <= end) {
    const most = Math.min(batch, Number(end - walk.next) + 1);
    const events = await eventsFrom(db, organizationId, walk.next, most);
    if (events.length === 0) walk.step(undefined);
    for (const event of events) {
      walk.step(event);
      if (walk.fault !== null) return;
      onSound(event);
    }
  }
}

/** The next events of an organization from a number on. */
export async function eventsFrom(
  db: Reader,
  organizationId: string,
  from: bigint,
  limit: number,
): Promise<StoredEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .where('sequence', '>=', String(from))
    .orderBy('sequence')
    .limit(limit)
    .execute();
  return rows.map(eventOf);
}
