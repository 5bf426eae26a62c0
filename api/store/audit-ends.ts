/** The two ends of an organization's chain of events, and the retention that its events say. */
import { sql } from 'kysely';
import { auditRetention, auditRetentionPath } from '../model/audit-retention.ts';
import type { ChainFaultCode, StoredEvent } from '../model/event.ts';
import {
  firstHash,
  type AuditChain,
  type ChainBase,
  type ChainHead,
  type HeadSeal,
  type Seal,
} from './audit-chain.ts';
import { eventOf } from './events.ts';
import { uuidOf } from './ids.ts';
import type { Reader } from './tables.ts';

export interface ChainFault {
  readonly code: ChainFaultCode;
  /** Number of the event, or of the end. */
  readonly sequence: bigint;
  readonly detail: string;
}

export interface ChainEnds {
  readonly head: ChainHead;
  readonly seal: HeadSeal;
  readonly base: ChainBase;
  readonly baseSeal: Seal | null;
  /** Numbers of the first and the last event that exist; null: there is none. */
  readonly first: bigint | null;
  readonly last: bigint | null;
  /** The retention in days that people see. */
  readonly shownDays: number;
}

/** Uses one statement, so that ends and events are of the same moment. */
export async function findEnds(db: Reader, organizationId: string): Promise<ChainEnds | undefined> {
  const row = await db
    .selectFrom('eventHeads as head')
    .innerJoin('organizations', 'organizations.id', 'head.organizationId')
    .leftJoin('eventBases as base', 'base.organizationId', 'head.organizationId')
    .select(['head.sequence', 'head.hash', 'head.keyedFrom', 'head.keyVersion', 'head.mac'])
    .select(['organizations.auditRetentionDays', 'base.retentionDays'])
    .select([
      'base.sequence as baseSequence',
      'base.hash as baseHash',
      'base.keyVersion as baseKeyVersion',
      'base.mac as baseMac',
    ])
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
  const { baseSequence, baseHash, baseKeyVersion, baseMac, retentionDays } = row;
  return {
    head: { organizationId, sequence: BigInt(sequence), hash, keyedFrom: maybeBigint(keyedFrom) },
    seal: { keyVersion, mac },
    base: {
      organizationId,
      sequence: BigInt(baseSequence ?? '0'),
      hash: baseHash ?? firstHash,
      retentionDays: retentionDays ?? auditRetention.default,
    },
    baseSeal:
      baseKeyVersion === null || baseMac === null
        ? null
        : { keyVersion: baseKeyVersion, mac: baseMac },
    first: maybeBigint(first),
    last: maybeBigint(last),
    shownDays: row.auditRetentionDays,
  };
}

const maybeBigint = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

/** Number of the last event that was removed because its retention was over; 0: none was. */
export async function removedThrough(db: Reader, organizationId: string): Promise<bigint> {
  const row = await db
    .selectFrom('eventBases')
    .select('sequence')
    .where('organizationId', '=', uuidOf(organizationId))
    .executeTakeFirst();
  return BigInt(row?.sequence ?? '0');
}

export function faultOfEnds(chain: AuditChain, ends: ChainEnds): ChainFault | null {
  const { head, seal, base, baseSeal, first, last } = ends;
  const { sequence } = head;
  const state = chain.check(head, seal);
  if (state === 'unknown_key') return keyMissing(sequence, 'the head', seal.keyVersion);
  if (state === 'altered') {
    return { code: 'head_altered', sequence, detail: 'The head of the chain was altered.' };
  }
  const baseState = chain.checkBase(base, baseSeal);
  if (baseState === 'unknown_key') {
    return keyMissing(base.sequence, 'the base', baseSeal?.keyVersion ?? null);
  }
  if (baseState === 'altered' || base.sequence > sequence) {
    const detail =
      'The base of the chain, which says up to where events were removed, was altered.';
    return { code: 'base_altered', sequence: base.sequence, detail };
  }
  const expected = base.sequence + 1n;
  // Only keyed events are removed, so that all after a base are keyed.
  if (baseSeal !== null && (head.keyedFrom === null || head.keyedFrom > expected)) {
    const detail =
      'The head says that events have no keyed hash, although they had one: the head was rewritten.';
    return { code: 'head_altered', sequence, detail };
  }
  if (first !== null && first < expected) {
    const detail = `Event ${first} is before the first one.`;
    return { code: 'altered', sequence: first, detail };
  }
  if (last === null || last < sequence) {
    const missing = (last ?? base.sequence) + 1n;
    if (missing > sequence) return null;
    return { code: 'missing', sequence: missing, detail: `Events from ${missing} on are missing.` };
  }
  if (first !== expected && expected <= sequence) {
    return {
      code: 'missing',
      sequence: expected,
      detail: `Event ${expected}, the first one, is missing.`,
    };
  }
  if (last > sequence) {
    return { code: 'altered', sequence: last, detail: `Event ${last} is after the last one.` };
  }
  return null;
}

const keyMissing = (sequence: bigint, what: string, version: string | null): ChainFault => ({
  code: 'unknown_key',
  sequence,
  detail: `The signing key ${version} of ${what} is missing. Add it to the other signing keys of the API.`,
});

/** Whether what people see is the retention that the last event that changed it says, or that was in force at the base. */
export async function faultOfRetention(
  db: Reader,
  { base, shownDays }: ChainEnds,
): Promise<ChainFault | null> {
  const row = await db
    .selectFrom('events')
    .selectAll()
    .where('organizationId', '=', uuidOf(base.organizationId))
    .where('type', '=', 'organization.changed')
    .where('sequence', '>', String(base.sequence))
    .where(sql<boolean>`changes @> ${JSON.stringify([{ path: auditRetentionPath }])}::jsonb`)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  const event = row && eventOf(row);
  const days = event === undefined ? base.retentionDays : retentionSaidBy(event);
  return days === shownDays
    ? null
    : retentionAltered(event?.sequence ?? base.sequence, shownDays, days);
}

export const retentionAltered = (
  sequence: bigint,
  shownDays: number,
  days: number | undefined,
): ChainFault => ({
  code: 'retention_altered',
  sequence,
  detail: `The retention is set to ${shownDays} days, although the events say ${days} days: it was changed without an event. Nothing is removed until a person chooses another retention.`,
});

/** The retention that an event begins; `undefined`: it does not change it. */
export function retentionSaidBy(event: StoredEvent): number | undefined {
  if (event.type !== 'organization.changed') return undefined;
  const to = event.changes.findLast(({ path }) => path === auditRetentionPath)?.to;
  return typeof to === 'number' && to >= auditRetention.min ? to : undefined;
}
