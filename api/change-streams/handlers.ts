/** Change streams over HTTP. */
import { requireActive } from '../auth/suspension.ts';
import type { changeStreamRoutes } from '../contract/routes/change-streams.ts';
import { ChangeEventSource, type SourceServices } from '../change-events/source.ts';
import { databaseNotFound, deletedAlready } from '../databases/refusal.ts';
import { requireDatabase } from '../databases/require.ts';
import { checkMatch, etagOf } from '../http/conditional.ts';
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
import type { Database } from '../store/database-record.ts';
import { lockDatabase } from '../store/databases.ts';
import type { Sealer } from '../store/sealing.ts';
import type { Store } from '../store/store.ts';
import { shownStream, shownTo } from './present.ts';
import { checkedSink, refuseOtherSink, requirePassword } from './sinks/requested-sink.ts';
import { tellStream } from './stream-events.ts';

interface ChangeStreamServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  readonly sealer: Sealer;
  /** Source of the events. */
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
    const checked = checkedSink(body.sink, ranges);
    requirePassword(checked);
    const replyTo = (stream: ChangeStream, secret: string | null) => ({
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
        const { observed } = await refuseDeleted(change, organizationId, databaseId);
        const made = await createChangeStream(change, sealer, {
          organizationId,
          databaseId,
          description: body.description,
          ...checked,
          after,
          suspended: observed?.streamsSuspended ?? false,
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
    return {
      status: 200,
      etag: tagOf(found),
      body: { changeStream: shownTo(principal, found, now()) },
    };
  };

const update =
  ({ store, sealer, ranges, now }: ChangeStreamServices): Handler<'updateChangeStream'> =>
  async ({ params, body, principal, author, ifMatch }) => {
    const { description, sink, state } = body;
    if (!onlyPauses(body)) requireActive(principal.organization);
    const checked = sink && checkedSink(sink, ranges);
    const changed = await store.change(author, async (change) => {
      if (state === 'RUNNING')
        await refuseDeleted(change, principal.organization.id, params.databaseId);
      const before = await locked(change, principal.organization.id, params);
      checkMatch(ifMatch, tagOf(before));
      if (checked !== undefined) refuseOtherSink(before, checked);
      const patch = { description, ...checked, state };
      const after = await updateChangeStream(change, sealer, before, patch);
      const changes = [
        ...changesBetween(before, after),
        ...(checked?.password === undefined
          ? []
          : [{ path: '/sink/password', from: '•••', to: '•••' }]),
      ];
      if (changes.length > 0) await tellStream(change, 'change_stream.changed', after, changes);
      return after;
    });
    return {
      status: 200,
      etag: tagOf(changed),
      body: { success: true, changeStream: shownStream(changed, now()) },
    };
  };

/** Its version counts changes of people, and that it stopped for good; deliveries do not. */
const tagOf = ({ id, version }: ChangeStream): string => etagOf(id, version);

/** Whether the request only pauses the stream: a suspended organization may still do that. */
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
      requireSigned(stream);
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
      const stream = await locked(change, principal.organization.id, params);
      requireSigned(stream);
      const { id } = stream;
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
async function refuseDeleted(
  change: Change,
  organizationId: string,
  id: string,
): Promise<Database> {
  await requireDatabase(change.db, organizationId, id);
  const database = await lockDatabase(change, id);
  if (database === undefined) throw databaseNotFound(id);
  if (database.deletedAt !== null) throw deletedAlready(database);
  return database;
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

function requireSigned({ id, sink }: ChangeStream): void {
  if (sink.type === 'WEBHOOK') return;
  throw new Refusal('change_stream_not_signed', {
    detail: `${id} is for a broker (${sink.type}).`,
  });
}

/** A stream's settings in events, which also go to webhooks and notifications. */
const settings = ({
  description,
  state,
  sink,
}: ChangeStream): Readonly<Record<string, unknown>> => {
  const { type: _, url, ...more } = sink;
  return {
    '/description': description,
    '/sink/url': url,
    ...Object.fromEntries(Object.entries(more).map(([name, value]) => [`/sink/${name}`, value])),
    '/state': state,
  };
};

function changesBetween(before: ChangeStream, after: ChangeStream): readonly FieldChange[] {
  const [old, present] = [settings(before), settings(after)];
  const told = (stream: ChangeStream, path: string, value: unknown) =>
    path === '/sink/url' ? maskedUrl(stream.sink) : value;
  return Object.entries(present).flatMap(([path, value]) =>
    old[path] === value
      ? []
      : [{ path, from: told(before, path, old[path]), to: told(after, path, value) }],
  );
}

const notThere = (id: string): Refusal =>
  new Refusal('change_stream_not_found', { detail: `The database has no change stream ${id}.` });
