/** Removal of audit events whose retention is over, in small steps, of some organizations at a time. */
import type { Logger } from 'pino';
import type { MetricRegistry } from '../../base/metrics/metrics.ts';
import { systemAuthor } from '../model/actor.ts';
import {
  organizationsWithOldEvents,
  removeOldEvents,
  withOldEvents,
} from '../store/audit-removal.ts';
import type { Store } from '../store/store.ts';
import { webhookConsumer } from '../webhooks/fan-out.ts';

const author = systemAuthor('audit-retention');
const organizationsAtOnce = 20;
const eventsAtOnce = 500;
const provenAtOnce = 2_000;

interface AuditRetentionOptions {
  readonly store: Store;
  readonly logger: Logger;
  readonly registry: MetricRegistry;
  readonly prefix: string;
}

export class AuditRetention {
  readonly #store: Store;
  readonly #logger: Logger;
  /** Organizations whose old events stay, because the last check of their chain found a fault. */
  #kept: ReadonlySet<string> = new Set();

  constructor({ store, logger, registry, prefix }: AuditRetentionOptions) {
    this.#store = store;
    this.#logger = logger;
    registry.gauge(
      `${prefix}audit_kept_organizations`,
      'Organizations whose old audit events are kept because a check of their chain failed.',
      () => this.#kept.size,
    );
  }

  get kept(): ReadonlySet<string> {
    return this.#kept;
  }

  /** Returns the number of events that were removed, or checked on the way to a removal; more may be left. */
  async removeOld(clock = new Date()): Promise<number> {
    const { read } = this.#store;
    // Another worker may have removed what was kept.
    const kept = new Set(await withOldEvents(read, clock, [...this.#kept]));
    let done = 0;
    for (const id of await organizationsWithOldEvents(read, clock, organizationsAtOnce)) {
      const removed = await this.#removeOldOf(id, clock);
      if (removed === undefined) kept.add(id);
      else kept.delete(id);
      done += removed ?? 0;
    }
    this.#kept = kept;
    return done;
  }

  /** `undefined`: they are kept. */
  async #removeOldOf(id: string, clock: Date): Promise<number | undefined> {
    const store = this.#store;
    const result = await store.change(author, (change) =>
      removeOldEvents(change, store.chain, id, {
        clock,
        limit: eventsAtOnce,
        provenAtOnce,
        consumer: webhookConsumer,
      }),
    );
    if ('removed' in result) return result.removed + result.walked;
    const { code, sequence, detail } = result;
    this.#logger.warn(
      { organizationId: id, code, sequence: String(sequence) },
      `old audit events are kept: ${detail}`,
    );
    return undefined;
  }
}
