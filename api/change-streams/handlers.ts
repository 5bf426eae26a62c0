/** Change streams over HTTP. */
import { requireActive } from '../auth/suspension.ts';
import type { changeStreamRoutes } from '../contract/routes/change-streams.ts';
import { ChangeEventSource, type SourceServices } from '../change-events/source.ts';
import { databaseNotFound, deletedAlready } from '../databases/refusal.ts';
import { requireDatabase } from '../databases/require.ts';
import type { Handler, HandlersOf, RequestTo } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { maskedUrl, type ChangeStream } from '../model/change-stream.ts';
import type { FieldChange } from '../model/event.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import {
  createChangeStream,
  deleteChangeStream,
  findChangeStream,
  listChangeStreams,
  lockChangeStream,
  rotateChangeStreamSecret,
  secretOfChangeStream,
  streamsOfDatabaseMax,
  streamsOfOrganizationMax,
  updateChangeStream,
} from '../store/change-streams.ts';
import { lockDatabase } from '../store/databases.ts';
import type { Sealer } from '../store/sealing.ts';
import type { Store } from '../store/store.ts';
import { checkUrl } from '../webhooks/endpoint-url.ts';
import { shownStream, shownTo } from './present.ts';
import { tellStream } from './stream-events.ts';

interface ChangeStreamServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  readonly sealer: Sealer;
  /** Where events are read. */
  readonly ledgers: SourceServices;
  /** Ranges of addresses to which requests may go although they are not public. */
  readonly ranges: readonly string[];
  readonly now: () => Date;
}

export const changeStreamHandlers = (
  services: ChangeStreamServices,
): HandlersOf<typeof changeStreamRoutes> => ({
  createChangeStream: create(services),
  listChangeStreams: list(services),
  getChangeStream: get(services),
  updateChangeStream: update(services),
  deleteChangeStream: remove(services),
  showChangeStreamSecret: showSecret(services),
  rotateChangeStreamSecret: rotateSecret(services),
});

const create =
  (services: ChangeStreamServices): Handler<'createChangeStream'> =>
  (request) => {
    const { store, requests, sealer, ledgers, ranges, now } = services;
    const { params, body, principal, author, requestId, signal } = request;
    const { databaseId } = params;
    const { id: organizationId } = principal.organization;
    checkUrl(body.sink.url, ranges, '#/sink/url');
    const replyTo = (stream: ChangeStream, secret: string) => ({
      status: 201 as const,
      headers: { Location: `/api/v1/databases/${databaseId}/change-streams/${stream.id}` },
      body: { success: true as const, changeStream: shownStream(stream, now()), secret },
    });
    return requests.run<ReturnType<typeof replyTo>>(request, async (keep) => {
      await requireDatabase(store.read, organizationId, databaseId);
      // Known before the stream is there, so that it misses nothing from this moment on.
      const source = { organizationId, databaseId, requestId, signal };
      const after = await new ChangeEventSource(ledgers, source).start(body.after);
      return store.change(author, async (change) => {
        await refuseDeleted(change, organizationId, databaseId);
        const made = await createChangeStream(change, sealer, {
          organizationId,
          databaseId,
          description: body.description,
          sinkType: body.sink.type,
          url: body.sink.url,
          after,
        });
        if (made === 'too_many') throw tooMany();
        await tellStream(change, 'change_stream.created', made.stream);
        const reply = replyTo(made.stream, made.secret);
        await keep(change, reply);
        return reply;
      });
    });
  };

const tooMany = (): Refusal =>
  new Refusal('quota_exceeded', {
    detail: `A database has ${streamsOfDatabaseMax} change streams at most, and an organization ${streamsOfOrganizationMax}. Delete one first.`,
  });

const list =
  ({ store, now }: ChangeStreamServices): Handler<'listChangeStreams'> =>
  async ({ params: { databaseId }, principal }) => {
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const streams = await listChangeStreams(store.read, databaseId);
    return { status: 200, body: { data: streams.map((one) => shownTo(principal, one, now())) } };
  };

const get =
  ({ store, now }: ChangeStreamServices): Handler<'getChangeStream'> =>
  async ({ params: { databaseId, streamId }, principal }) => {
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const found = await findChangeStream(store.read, databaseId, streamId);
    if (found === undefined) throw notThere(streamId);
    return { status: 200, body: { changeStream: shownTo(principal, found, now()) } };
  };

const update =
  ({ store, ranges, now }: ChangeStreamServices): Handler<'updateChangeStream'> =>
  async ({ params, body, principal, author }) => {
    const { description, sink, state } = body;
    if (!onlyPauses(body)) requireActive(principal.organization);
    if (sink !== undefined) checkUrl(sink.url, ranges, '#/sink/url');
    const changed = await store.change(author, async (change) => {
      if (state === 'RUNNING')
        await refuseDeleted(change, principal.organization.id, params.databaseId);
      const before = await locked(change, principal.organization.id, params);
      const after = await updateChangeStream(change, before, {
        description,
        url: sink?.url,
        state,
      });
      const changes = changesBetween(before, after);
      if (changes.length > 0) await tellStream(change, 'change_stream.changed', after, changes);
      return after;
    });
    return { status: 200, body: { success: true, changeStream: shownStream(changed, now()) } };
  };

/** Who is suspended may still stop what leaves the service. */
const onlyPauses = ({ state, ...rest }: RequestTo<'updateChangeStream'>['body']): boolean =>
  state === 'PAUSED' && Object.keys(rest).length === 0;

const remove =
  ({ store }: ChangeStreamServices): Handler<'deleteChangeStream'> =>
  async ({ params, principal, author }) => {
    await store.change(author, async (change) => {
      const stream = await locked(change, principal.organization.id, params);
      await deleteChangeStream(change, stream.id);
      await tellStream(change, 'change_stream.deleted', stream);
    });
    return { status: 204 };
  };

const showSecret =
  ({ store, sealer }: ChangeStreamServices): Handler<'showChangeStreamSecret'> =>
  async ({ params, principal, author }) => {
    const secret = await store.change(author, async (change) => {
      const stream = await locked(change, principal.organization.id, params);
      await tellStream(change, 'change_stream.secret_shown', stream);
      return secretOfChangeStream(change.db, sealer, stream.id);
    });
    return { status: 200, body: { secret } };
  };

const rotateSecret =
  ({ requests, sealer, now }: ChangeStreamServices): Handler<'rotateChangeStreamSecret'> =>
  (request) => {
    const { params, principal, body } = request;
    return requests.change(request, async (change) => {
      const { id } = await locked(change, principal.organization.id, params);
      const graceSeconds = body.gracePeriodSeconds;
      const rotated = await rotateChangeStreamSecret(change, sealer, { id, graceSeconds });
      await tellStream(change, 'change_stream.secret_rotated', rotated.stream);
      return {
        status: 200,
        body: {
          success: true,
          changeStream: shownStream(rotated.stream, now()),
          secret: rotated.secret,
        },
      };
    });
  };

/** Locks the database: its streams are off while it is deleted, and after it is restored until somebody resumes them. */
async function refuseDeleted(change: Change, organizationId: string, id: string): Promise<void> {
  await requireDatabase(change.db, organizationId, id);
  const database = await lockDatabase(change, id);
  if (database === undefined) throw databaseNotFound(id);
  if (database.deletedAt !== null) throw deletedAlready(database);
}

/** The stream, locked until the commit; throws a refusal if database or stream are not the organization's. */
async function locked(
  change: Change,
  organizationId: string,
  { databaseId, streamId }: { readonly databaseId: string; readonly streamId: string },
): Promise<ChangeStream> {
  await requireDatabase(change.db, organizationId, databaseId);
  const found = await lockChangeStream(change, databaseId, streamId);
  if (found === undefined) throw notThere(streamId);
  return found;
}

const fields = { '/description': 'description', '/sink/url': 'url', '/state': 'state' } as const;

/** Events go to webhooks and notifications as well. */
const told = (field: string, value: string) => (field === 'url' ? maskedUrl(value) : value);

const changesBetween = (before: ChangeStream, after: ChangeStream): readonly FieldChange[] =>
  Object.entries(fields).flatMap(([path, field]) =>
    before[field] === after[field]
      ? []
      : [{ path, from: told(field, before[field]), to: told(field, after[field]) }],
  );

const notThere = (id: string): Refusal =>
  new Refusal('change_stream_not_found', { detail: `The database has no change stream ${id}.` });
