/** Check of an organization's chain of events: a bounded number of events at a time, from any event on. */
import { sql } from 'kysely';
import type { ChainFaultCode, StoredEvent } from '../model/event.ts';
import { firstHash, type AuditChain, type ChainHead, type HeadSeal } from './audit-chain.ts';
import { eventOf } from './events.ts';
import { uuidOf } from './ids.ts';
import type { Reader } from './tables.ts';

interface ChainFault {
  readonly code: ChainFaultCode;
  /** Number of the event, or of the head. */
  readonly sequence: bigint;
  readonly detail: string;
}

interface Verification {
  /** The chain as it was when the check began. */
  readonly head: Pick<ChainHead, 'sequence' | 'hash' | 'keyedFrom'>;
  /** Number of sound events, counted from `from`. */
  readonly checked: number;
  /** Number of the next event to check; null: the check reached the end or a fault. */
  readonly next: bigint | null;
  /** The first fault; null: none was found. */
  readonly fault: ChainFault | null;
}

const batch = 500;

/** Checks events. `from`: number of the first event to check. `limit`: maximum of events. */
export async function verifyEvents(
  db: Reader,
  chain: AuditChain,
  organizationId: string,
  { from, limit }: { from: bigint; limit: number },
): Promise<Verification> {
  const found = await findHead(db, organizationId);
  if (found === undefined) {
    const head = { sequence: 0n, hash: firstHash, keyedFrom: null };
    const detail = 'The chain has no head, although every organization begins with an event.';
    return { head, checked: 0, next: null, fault: { code: 'head_altered', sequence: 0n, detail } };
  }
  const { head } = found;
  const end = from + BigInt(limit) - 1n < head.sequence ? from + BigInt(limit) - 1n : head.sequence;
  const walk = new Walk(chain, head, from);
  walk.fault = faultOfHead(chain, found);
  if (from > 1n && walk.fault === null) {
    const [before] = await eventsFrom(db, organizationId, from - 1n, 1);
    walk.begin(before);
  }
  while (walk.fault === null && walk.next <= end) {
    const most = Math.min(batch, Number(end - walk.next) + 1);
    const rows = await eventsFrom(db, organizationId, walk.next, most);
    if (rows.length === 0) walk.step(undefined);
    for (const row of rows) if (walk.fault === null) walk.step(row);
  }
  if (walk.fault === null && end === head.sequence) walk.end();
  const more = walk.fault === null && end < head.sequence;
  return {
    head,
    checked: Math.max(0, Number(walk.next - from)),
    next: more ? end + 1n : null,
    fault: walk.fault,
  };
}

/** Check that goes from event to event up to the first fault. */
class Walk {
  readonly #chain: AuditChain;
  readonly #head: ChainHead;
  #previous: Buffer | undefined;
  /** Number of the event that comes next. */
  next: bigint;
  fault: ChainFault | null = null;

  constructor(chain: AuditChain, head: ChainHead, from: bigint) {
    this.#chain = chain;
    this.#head = head;
    this.next = from;
    this.#previous = from === 1n ? firstHash : undefined;
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

interface FoundHead {
  readonly head: ChainHead;
  readonly seal: HeadSeal;
  /** Numbers of the first and the last event that exist; null: there is none. */
  readonly first: bigint | null;
  readonly last: bigint | null;
}

function faultOfHead(chain: AuditChain, { head, seal, first, last }: FoundHead): ChainFault | null {
  const { sequence } = head;
  const state = chain.check(head, seal);
  if (state === 'unknown_key') {
    const detail = `The signing key ${seal.keyVersion} of the head is missing. Add it to the other signing keys of the API.`;
    return { code: 'unknown_key', sequence, detail };
  }
  if (state === 'altered') {
    const detail = 'The head of the chain was altered.';
    return { code: 'head_altered', sequence, detail };
  }
  if (first === null || last === null || last < sequence) {
    const missing = (last ?? 0n) + 1n;
    return { code: 'missing', sequence: missing, detail: `Events from ${missing} on are missing.` };
  }
  if (first !== 1n) {
    return first < 1n
      ? { code: 'altered', sequence: first, detail: `Event ${first} is before the first one.` }
      : { code: 'missing', sequence: 1n, detail: 'The first event is missing.' };
  }
  if (last > sequence) {
    return { code: 'altered', sequence: last, detail: `Event ${last} is after the last one.` };
  }
  return null;
}

/** Uses one statement, so that head and events are of the same moment. */
async function findHead(db: Reader, organizationId: string): Promise<FoundHead | undefined> {
  const row = await db
    .selectFrom('eventHeads as head')
    .selectAll('head')
    .select((select) => [
      select
        .selectFrom('events')
        .select(sql<string | null>`min(sequence)`.as('first'))
        .whereRef('events.organizationId', '=', 'head.organizationId')
        .as('first'),
      select
        .selectFrom('events')
        .select(sql<string | null>`max(sequence)`.as('last'))
        .whereRef('events.organizationId', '=', 'head.organizationId')
        .as('last'),
    ])
    .where('head.organizationId', '=', uuidOf(organizationId))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { sequence, hash, keyedFrom, keyVersion, mac, first, last } = row;
  return {
    head: { organizationId, sequence: BigInt(sequence), hash, keyedFrom: maybeBigint(keyedFrom) },
    seal: { keyVersion, mac },
    first: maybeBigint(first),
    last: maybeBigint(last),
  };
}

const maybeBigint = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

async function eventsFrom(
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
