/** A change in progress: its transaction, its author, and the events that it will write. */
import type { Transaction } from 'kysely';
import { newTypeId } from '../../domain/type-id.ts';
import type { Author } from '../model/actor.ts';
import type { NewEvent } from '../model/event.ts';
import type { EventType } from '../model/event-types.ts';
import type { AuditChain } from './audit-chain.ts';
import { writeEvents } from './events.ts';
import type { Tables } from './tables.ts';

export class Change {
  readonly db: Transaction<Tables>;
  readonly author: Author;
  readonly #chain: AuditChain;
  readonly #told: { id: string; event: NewEvent }[] = [];

  constructor(db: Transaction<Tables>, author: Author, chain: AuditChain) {
    this.db = db;
    this.author = author;
    this.#chain = chain;
  }

  /** Adds an event to this change. Events are numbered and written just before the commit. Returns the event's TypeID. */
  emit<Type extends EventType>(event: NewEvent<Type>): string {
    const id = newTypeId('evt');
    this.#told.push({ id, event });
    return id;
  }

  /** Writes the events. The store calls it last: the organization's numbering stays locked until the commit. */
  async writeEvents(): Promise<void> {
    await writeEvents(this.db, this.#chain, this.author, this.#told.splice(0));
  }
}
