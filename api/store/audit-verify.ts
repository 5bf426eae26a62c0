/** Check of an organization's chain of events: a bounded number of events at a time, from any event on. */
import { auditRetention } from '../model/audit-retention.ts';
import { firstHash, type AuditChain, type ChainBase, type ChainHead } from './audit-chain.ts';
import { faultOfEnds, faultOfRetention, findEnds, type ChainFault } from './audit-ends.ts';
import { AuditWalk, eventsFrom, walkTo } from './audit-walk.ts';
import type { Reader } from './tables.ts';

interface Verification {
  /** The chain as it was when the check began. */
  readonly head: Pick<ChainHead, 'sequence' | 'hash' | 'keyedFrom'>;
  readonly base: Pick<ChainBase, 'sequence'>;
  /** Number of sound events, counted from `from`. */
  readonly checked: number;
  /** Number of the next event to check; null: the check reached the end or a fault. */
  readonly next: bigint | null;
  /** The first fault; null: none was found. */
  readonly fault: ChainFault | null;
}

interface Part {
  /** Number of the first event to check. Those that were removed are passed over. */
  readonly from: bigint;
  /** Maximum of events. */
  readonly limit: number;
}

/** Checks events as they are at one moment: others may be written and removed meanwhile. */
export const verifyEvents = (
  db: Reader,
  chain: AuditChain,
  organizationId: string,
  part: Part,
): Promise<Verification> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((moment) => verifyAt(moment, chain, organizationId, part));

async function verifyAt(
  db: Reader,
  chain: AuditChain,
  organizationId: string,
  part: Part,
): Promise<Verification> {
  const ends = await findEnds(db, organizationId);
  if (ends === undefined) return withoutHead(organizationId);
  const { head, base } = ends;
  const begin = base.sequence + 1n;
  const from = part.from > begin ? part.from : begin;
  const last = from + BigInt(part.limit) - 1n;
  const end = last < head.sequence ? last : head.sequence;
  const walk = new AuditWalk(chain, head, base, from);
  walk.fault = faultOfEnds(chain, ends);
  if (from > begin && walk.fault === null) {
    const [before] = await eventsFrom(db, organizationId, from - 1n, 1);
    walk.begin(before);
  }
  await walkTo(db, organizationId, walk, end);
  if (walk.fault === null && end === head.sequence) {
    walk.end();
    walk.fault ??= await faultOfRetention(db, ends);
  }
  const more = walk.fault === null && end < head.sequence;
  return {
    head,
    base,
    checked: Math.max(0, Number(walk.next - from)),
    next: more ? end + 1n : null,
    fault: walk.fault,
  };
}

function withoutHead(organizationId: string): Verification {
  const head = { sequence: 0n, hash: firstHash, keyedFrom: null };
  const base = {
    organizationId,
    sequence: 0n,
    hash: firstHash,
    retentionDays: auditRetention.default,
  };
  const detail = 'The chain has no head, although every organization begins with an event.';
  const fault = { code: 'head_altered', sequence: 0n, detail } as const;
  return { head, base, checked: 0, next: null, fault };
}
