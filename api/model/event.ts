import type { Author } from './actor.ts';
import type { EventData, EventType } from './event-types.ts';

export const eventOutcomes = ['SUCCESS', 'DENIED', 'FAILED'] as const;
export type EventOutcome = (typeof eventOutcomes)[number];

/** The thing that an event happened to. */
export interface Subject {
  readonly type:
    | 'organization'
    | 'session'
    | 'database'
    | 'job'
    | 'import'
    | 'api_key'
    | 'webhook_endpoint'
    | 'member'
    | 'invitation';
  /** TypeID. */
  readonly id: string | null;
  readonly display: string;
}

/** One field that a person changed. */
export interface FieldChange {
  /** JSON Pointer into the resource. */
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** An event as described by the code that causes it. */
export interface NewEvent<Type extends EventType = EventType> {
  /** TypeID `org_…`. */
  readonly organizationId: string;
  readonly type: Type;
  readonly subject: Subject;
  readonly data: EventData[Type];
  /** TypeID `db_…`. Readers who may see only one database see the event by it. */
  readonly databaseId?: string | null;
  /** `SUCCESS` when absent. */
  readonly outcome?: EventOutcome;
  readonly changes?: readonly FieldChange[];
}

/** An event as committed. */
export interface StoredEvent {
  /** TypeID `evt_…`. */
  readonly id: string;
  readonly organizationId: string;
  /** From 1 in each organization, without gaps, in the order of commits. */
  readonly sequence: bigint;
  readonly type: EventType;
  readonly outcome: EventOutcome;
  readonly occurredAt: Date;
  readonly subject: Subject;
  readonly databaseId: string | null;
  readonly author: Author;
  readonly data: unknown;
  readonly changes: readonly FieldChange[];
  /** Version of the signing key behind `hash`; null: a plain SHA-256, from before the chain had a key. */
  readonly keyVersion: string | null;
  /** The hash of the event before; zeroes before the first. */
  readonly previousHash: Buffer;
  /** HMAC of `previousHash` and this event. It reveals when an event is removed or changed. */
  readonly hash: Buffer;
}

/** Faults that a check of the chain of events can find. */
export const chainFaults = [
  'missing',
  'altered',
  'unkeyed',
  'unknown_key',
  'head_altered',
  'base_altered',
  'retention_altered',
] as const;
export type ChainFaultCode = (typeof chainFaults)[number];
