/** Change streams as the API shows them. */
import type { z } from 'zod';
import type { Principal } from '../auth/principal.ts';
import type { Immutable } from '../contract/route.ts';
import type { changeStream as streamSchema } from '../contract/schemas/change-stream.ts';
import { hasRight } from '../model/access.ts';
import { lagOf, maskedUrl, type ChangeStream } from '../model/change-stream.ts';

type ShownStream = Immutable<z.input<typeof streamSchema>>;

/** A stream as those see it who may change it. */
export const shownStream = (stream: ChangeStream, now: Date): ShownStream => ({
  id: stream.id,
  databaseId: stream.databaseId,
  description: stream.description,
  sink: shownSink(stream),
  signing: stream.sink.type === 'WEBHOOK' ? 'v1' : null,
  previousSecretUntil: stream.previousSecretUntil?.toISOString() ?? null,
  state: stream.state,
  stateReason: stream.stateReason,
  suspended: stream.suspended,
  startedAfter: String(stream.startedAfter),
  position: String(stream.position),
  deliveredEvents: String(stream.delivered),
  sentBytes: String(stream.sentBytes),
  lastDeliveredAt: stream.deliveredAt?.toISOString() ?? null,
  ...shownLag(stream, now),
  failingSince: stream.failingSince?.toISOString() ?? null,
  nextAttemptAt: stream.state === 'RETRYING' ? (stream.dueAt?.toISOString() ?? null) : null,
  lastError: stream.lastError,
  actor: stream.createdBy,
  version: stream.version,
  createdAt: stream.createdAt.toISOString(),
  updatedAt: stream.updatedAt.toISOString(),
});

const shownSink = ({ sink, passwordSet }: ChangeStream): ShownStream['sink'] =>
  sink.type === 'WEBHOOK' ? sink : { ...sink, passwordSet };

const shownLag = (stream: ChangeStream, now: Date) => {
  const { seconds, unknown } = lagOf(stream, now.getTime());
  return { lagSeconds: seconds, lagUnknown: unknown };
};

/** A stream as this caller may see it. */
export function shownTo(principal: Principal, stream: ChangeStream, now: Date): ShownStream {
  const shown = shownStream(stream, now);
  if (principal.type !== 'api_key' && hasRight(principal.role, 'changeDatabase')) return shown;
  return { ...shown, sink: { ...shown.sink, url: maskedUrl(shown.sink) } };
}
