/** Removal of audit events whose retention is over, in small steps, of some organizations at a time. */
import type { Logger } from 'pino';
import { systemAuthor } from '../model/actor.ts';
import { organizationsWithOldEvents, removeOldEvents } from '../store/audit-removal.ts';
import type { Store } from '../store/store.ts';
import { webhookConsumer } from '../webhooks/fan-out.ts';

const author = systemAuthor('audit-retention');
const organizationsAtOnce = 20;
const eventsAtOnce = 500;
const provenAtOnce = 2_000;

/** Returns the number of events that were removed, or checked on the way to a removal; more may be left. */
export async function removeOldAuditEvents(
  { store, logger }: { readonly store: Store; readonly logger: Logger },
  clock = new Date(),
): Promise<number> {
  let done = 0;
  for (const id of await organizationsWithOldEvents(store.read, clock, organizationsAtOnce)) {
    const result = await store.change(author, (change) =>
      removeOldEvents(change, store.chain, id, {
        clock,
        limit: eventsAtOnce,
        provenAtOnce,
        consumer: webhookConsumer,
      }),
    );
    if ('removed' in result) done += result.removed + result.walked;
    else {
      const { code, sequence, detail } = result;
      logger.warn(
        { organizationId: id, code, sequence: String(sequence) },
        `old audit events are kept: ${detail}`,
      );
    }
  }
  return done;
}
