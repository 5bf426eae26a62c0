/** Organizations with a past: their events are as old as a test says, and written as the store would have written them then. */
import { newTypeId } from '../../../domain/type-id.ts';
import type { EventType } from '../../../api/model/event-types.ts';
import type { FieldChange } from '../../../api/model/event.ts';
import { firstHash } from '../../../api/store/audit-chain.ts';
import { uuidOf, uuidOrNull } from '../../../api/store/ids.ts';
import type { Store } from '../../../api/store/store.ts';
import { webhookConsumer } from '../../../api/webhooks/fan-out.ts';
import { tester } from './store.ts';

export interface PastEvent {
  readonly daysAgo: number;
  readonly type?: EventType;
  readonly databaseId?: string;
  readonly changes?: readonly FieldChange[];
}

/** Makes an organization without events. Returns its TypeID. */
export async function organizationWithoutEvents(store: Store, slug: string): Promise<string> {
  const id = newTypeId('org');
  await store.read
    .insertInto('organizations')
    .values({
      id: uuidOf(id),
      slug,
      name: slug,
      namespace: `org-${slug}`,
      status: 'ACTIVE',
      createdBy: JSON.stringify(tester.actor),
    })
    .execute();
  return id;
}

/** Writes an organization's first events, the oldest first. All consumers have taken them. */
export async function writePast(store: Store, organizationId: string, past: readonly PastEvent[]) {
  const organization = uuidOf(organizationId);
  let previousHash: Buffer = firstHash;
  const rows = past.map(({ daysAgo, type = 'session.opened', databaseId, changes = [] }, index) => {
    const content = {
      id: newTypeId('evt'),
      organizationId,
      sequence: BigInt(index + 1),
      type,
      outcome: 'SUCCESS' as const,
      occurredAt: new Date(Date.now() - daysAgo * 86_400_000),
      subject: { type: 'session' as const, id: null, display: `event ${index + 1}` },
      databaseId: databaseId ?? null,
      author: tester,
      data: {},
      changes,
      keyVersion: store.chain.version,
    };
    const hash = store.chain.hash(previousHash, content);
    if (hash === undefined) throw new Error('the signing key is missing');
    const row = {
      id: uuidOf(content.id),
      organizationId: organization,
      sequence: String(content.sequence),
      type,
      outcome: content.outcome,
      occurredAt: content.occurredAt,
      subjectType: content.subject.type,
      subjectId: null,
      subjectDisplay: content.subject.display,
      databaseId: uuidOrNull(content.databaseId),
      actor: JSON.stringify(tester.actor),
      actorId: tester.actor.id,
      ip: tester.ip,
      userAgent: tester.userAgent,
      requestId: tester.requestId,
      data: '{}',
      changes: JSON.stringify(changes),
      previousHash,
      hash,
      keyVersion: content.keyVersion,
    };
    previousHash = hash;
    return row;
  });
  const sequence = BigInt(rows.length);
  const head = { organizationId, sequence, hash: previousHash, keyedFrom: 1n };
  await store.read.insertInto('events').values(rows).execute();
  await store.read
    .insertInto('eventHeads')
    .values({
      organizationId: organization,
      sequence: String(sequence),
      hash: previousHash,
      keyedFrom: '1',
      ...store.chain.seal(head),
    })
    .execute();
  await store.read
    .insertInto('eventPositions')
    .values({ consumer: webhookConsumer, organizationId: organization, sequence: String(sequence) })
    .execute();
}
