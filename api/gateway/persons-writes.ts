/**
 * People's writes in the audit log: the author, the number of records, and a hash by which a given payload can be recognized.
 */
import { createHash } from 'node:crypto';
import type { Author } from '../model/actor.ts';
import type { Store } from '../store/store.ts';
import type { PersonsWrite } from './handlers.ts';

/** Keys are left out, because programs write too much for it. Resolves once the record is durable. */
export async function recordPersonsWrite(
  store: Pick<Store, 'change'>,
  author: Author,
  { organizationId, databaseId, databaseName, operation, events, body }: PersonsWrite,
): Promise<void> {
  const payloadSha256 = createHash('sha256').update(body).digest('hex');
  await store.change(author, async (change) => {
    change.emit({
      organizationId,
      type: 'database.ledger_written',
      subject: { type: 'database', id: databaseId, display: databaseName },
      databaseId,
      data: { operation, events, payloadSha256 },
    });
  });
}
