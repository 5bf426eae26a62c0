/** Change streams as the API shows them. */
import type { z } from 'zod';
import type { Immutable } from '../contract/route.ts';
import type { changeStream as streamSchema } from '../contract/schemas/change-stream.ts';
import { lagSecondsOf, type ChangeStream } from '../model/change-stream.ts';

type ShownStream = Immutable<z.input<typeof streamSchema>>;

export const shownStream = (stream: ChangeStream, now: Date): ShownStream => ({
  id: stream.id,
  databaseId: stream.databaseId,
  description: stream.description,
  sink: { type: stream.sinkType, url: stream.url },
  signing: 'v1',
  previousSecretUntil: stream.previousSecretUntil?.toISOString() ?? null,
  state: stream.state,
  stateReason: stream.stateReason,
  startedAfter: String(stream.startedAfter),
  position: String(stream.position),
  deliveredEvents: String(stream.delivered),
  lastDeliveredAt: stream.deliveredAt?.toISOString() ?? null,
  lagSeconds: lagSecondsOf(stream, now.getTime()),
  failingSince: stream.failingSince?.toISOString() ?? null,
  nextAttemptAt: stream.state === 'RETRYING' ? (stream.dueAt?.toISOString() ?? null) : null,
  lastError: stream.lastError,
  actor: stream.createdBy,
  version: stream.version,
  createdAt: stream.createdAt.toISOString(),
  updatedAt: stream.updatedAt.toISOString(),
});
