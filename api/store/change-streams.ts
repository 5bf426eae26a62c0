/** Change streams: the change events of one database, pushed to a sink. */
import { isDeepStrictEqual } from 'node:util';
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Actor } from '../model/actor.ts';
import type {
  ChangeStream,
  ChangeStreamState,
  FailingPart,
  Sink,
  StreamError,
  StreamProgress,
} from '../model/change-stream.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import type { Sealer } from './sealing.ts';
import type { ChangeStreamsTable, Reader } from './tables.ts';
import { newSecret, rotated } from './webhook-secrets.ts';

/** Streams of a database, and of an organization: a worker serves 64 at a time, so that no organization has most of them. */
export const streamsOfDatabaseMax = 4;
export const streamsOfOrganizationMax = 20;

interface NewChangeStream {
  readonly organizationId: string;
  readonly databaseId: string;
  readonly description: string;
  readonly sink: Sink;
  /** Password of a sink that does not sign its requests. */
  readonly password: string | undefined;
  /** Timestamp of the ledger after which it begins. */
  readonly after: bigint;
  /** All streams of the database stand still. */
  readonly suspended: boolean;
}

/** Makes a stream. `secret`: in the form of Standard Webhooks, if the sink has one. Returns `too_many` if organization or database have the maximum. */
export async function createChangeStream(
  change: Change,
  sealer: Sealer,
  stream: NewChangeStream,
): Promise<{ stream: ChangeStream; secret: string | null } | 'too_many'> {
  const organizationId = uuidOf(stream.organizationId);
  const databaseId = uuidOf(stream.databaseId);
  // The lock makes the second of two concurrent calls wait until the first is counted.
  await change.db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .forNoKeyUpdate()
    .execute();
  const others = await change.db
    .selectFrom('changeStreams')
    .select('databaseId')
    .where('organizationId', '=', organizationId)
    .execute();
  const ofDatabase = others.filter((one) => one.databaseId === databaseId);
  if (others.length >= streamsOfOrganizationMax || ofDatabase.length >= streamsOfDatabaseMax) {
    return 'too_many';
  }
  const id = newTypeId('chs');
  const secret = stream.sink.type === 'WEBHOOK' ? newSecret() : null;
  const sealed = sealer.seal(id, secret ?? stream.password ?? '');
  const row = await change.db
    .insertInto('changeStreams')
    .values({
      id: uuidOf(id),
      organizationId,
      databaseId,
      description: stream.description,
      ...sinkColumns(stream.sink),
      passwordSet: stream.password !== undefined,
      sealedSecret: sealed,
      sealedBy: sealer.version,
      suspended: stream.suspended,
      startedAfter: String(stream.after),
      position: String(stream.after),
      createdBy: JSON.stringify(change.author.actor),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { stream: streamOf(row), secret };
}

interface ChangeStreamPatch {
  readonly description?: string | undefined;
  /** A sink of the same type as before. */
  readonly sink?: Sink | undefined;
  /** Password of a sink that does not sign its requests. */
  readonly password?: string | undefined;
  /** `RUNNING` lets it go on from its position, at once. */
  readonly state?: 'RUNNING' | 'PAUSED' | undefined;
}

/** Changes a stream that is locked. */
export async function updateChangeStream(
  change: Change,
  sealer: Sealer,
  before: ChangeStream,
  { description, sink, password, state }: ChangeStreamPatch,
): Promise<ChangeStream> {
  const isMoved =
    password !== undefined || (sink !== undefined && !isDeepStrictEqual(sink, before.sink));
  const works = before.state === 'RUNNING' || before.state === 'RETRYING';
  const row = await change.db
    .updateTable('changeStreams')
    .set({
      ...(description !== undefined && { description }),
      ...(sink !== undefined && sinkColumns(sink)),
      ...(password !== undefined && {
        sealedSecret: sealer.seal(before.id, password),
        sealedBy: sealer.version,
        passwordSet: true,
      }),
      // Confirmations of the former sink do not count for this one.
      ...(isMoved && withdrawn),
      ...(isMoved && works && goingOn),
      ...(state === 'PAUSED' && before.state !== 'PAUSED' && paused),
      ...(state === 'RUNNING' && (works ? { dueAt: now } : goingOn)),
      version: sql<number>`version + 1`,
      updatedAt: now,
    })
    .where('id', '=', uuidOf(before.id))
    .returningAll()
    .executeTakeFirstOrThrow();
  return streamOf(row);
}

const now = sql<Date>`clock_timestamp()`;
/** Withdraws the lease: the worker of the stream records nothing more and releases it; no other takes it before that or the lease's end. */
const withdrawn = { leaseToken: null };
const untroubled = { failures: 0, failing: null, failingSince: null, toldFailing: false };
const goingOn = { state: 'RUNNING', stateReason: null, dueAt: now, ...untroubled };
const paused = { state: 'PAUSED', stateReason: null, dueAt: null, ...untroubled };

/** Pauses all streams of a database, which go on only when somebody resumes them. */
export async function pauseChangeStreams(
  change: Change,
  databaseId: string,
  reason: string,
): Promise<void> {
  await change.db
    .updateTable('changeStreams')
    .set({
      ...paused,
      stateReason: reason,
      version: sql<number>`version + 1`,
      updatedAt: now,
    })
    // Also those that are paused: somebody may be resuming one at this moment.
    .where('databaseId', '=', uuidOf(databaseId))
    .execute();
}

/** Lets all streams of a database stand still, or go on; their own states stay. */
export async function suspendChangeStreams(
  change: Change,
  databaseId: string,
  suspended: boolean,
): Promise<void> {
  await change.db
    .updateTable('changeStreams')
    .set({
      suspended,
      // Nobody is late with what could not be worked on.
      ...(!suspended && {
        dueAt: sql<Date | null>`CASE WHEN due_at IS NOT NULL THEN clock_timestamp() END`,
      }),
    })
    .where('databaseId', '=', uuidOf(databaseId))
    .execute();
}

/** Deletes all streams of a database. */
export async function deleteChangeStreams(change: Change, databaseId: string): Promise<void> {
  await change.db
    .deleteFrom('changeStreams')
    .where('databaseId', '=', uuidOf(databaseId))
    .execute();
}

export async function deleteChangeStream(change: Change, id: string): Promise<void> {
  await change.db.deleteFrom('changeStreams').where('id', '=', uuidOf(id)).execute();
}

export async function findChangeStream(
  db: Reader,
  databaseId: string,
  id: string,
): Promise<ChangeStream | undefined> {
  const row = await one(db, databaseId, id).executeTakeFirst();
  return row && streamOf(row);
}

/** Locks a stream until the commit. Returns `undefined` if the database has none with this ID. */
export async function lockChangeStream(
  change: Change,
  databaseId: string,
  id: string,
): Promise<ChangeStream | undefined> {
  const row = await one(change.db, databaseId, id).forNoKeyUpdate().executeTakeFirst();
  return row && streamOf(row);
}

/** Lists the streams of a database, the oldest first; there are few. */
export async function listChangeStreams(db: Reader, databaseId: string): Promise<ChangeStream[]> {
  const rows = await db
    .selectFrom('changeStreams')
    .selectAll()
    .where('databaseId', '=', uuidOf(databaseId))
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return rows.map(streamOf);
}

/** Lists the streams of databases by the databases' IDs; one without streams is left out. */
export async function changeStreamsOf(
  db: Reader,
  databaseIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ChangeStream[]>> {
  if (databaseIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('changeStreams')
    .selectAll()
    .where('databaseId', 'in', databaseIds.map(uuidOf))
    .execute();
  return Map.groupBy(rows.map(streamOf), ({ databaseId }) => databaseId);
}

/** Likewise, without what is long: collectors read it every 15 seconds. Streams that somebody paused are left out. */
export async function progressOfStreams(
  db: Reader,
  databaseIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StreamProgress[]>> {
  if (databaseIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('changeStreams')
    .select(['databaseId', 'state', 'suspended', 'pendingFrom', 'failing', 'dueAt', 'leaseUntil'])
    .where('databaseId', 'in', databaseIds.map(uuidOf))
    .where('state', '!=', 'PAUSED')
    .execute();
  return new Map(
    [...Map.groupBy(rows, ({ databaseId }) => databaseId)].map(([id, own]) => [
      typeIdOfUuid('db', id),
      own.map(({ state, pendingFrom, failing, ...row }) => ({
        ...row,
        state: state as ChangeStreamState,
        pendingFrom: pendingFrom === null ? null : BigInt(pendingFrom),
        failing: failing as FailingPart | null,
      })),
    ]),
  );
}

/** Returns the secret of a stream that is there. */
export async function secretOfChangeStream(
  db: Reader,
  sealer: Sealer,
  id: string,
): Promise<string> {
  const { sealedSecret } = await db
    .selectFrom('changeStreams')
    .select('sealedSecret')
    .where('id', '=', uuidOf(id))
    .executeTakeFirstOrThrow();
  return sealer.open(id, sealedSecret);
}

/** Replaces the secret. The one before signs as well for `graceSeconds`; a secret before that one no longer does. */
export async function rotateChangeStreamSecret(
  change: Change,
  sealer: Sealer,
  { id, graceSeconds }: { readonly id: string; readonly graceSeconds: number },
): Promise<{ stream: ChangeStream; secret: string }> {
  const secret = newSecret();
  const row = await change.db
    .updateTable('changeStreams')
    .set({
      ...rotated(sealer.seal(id, secret), graceSeconds),
      // A worker that signs with the secret before begins nothing more.
      ...withdrawn,
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  return { stream: streamOf(row), secret };
}

const one = (db: Reader, databaseId: string, id: string) =>
  db
    .selectFrom('changeStreams')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .where('databaseId', '=', uuidOf(databaseId));

const sinkColumns = ({ type, url, ...options }: Sink) => ({
  sinkType: type,
  url,
  sinkOptions: JSON.stringify(options),
});

export function streamOf(row: Selectable<ChangeStreamsTable>): ChangeStream {
  return {
    id: typeIdOfUuid('chs', row.id),
    organizationId: typeIdOfUuid('org', row.organizationId),
    databaseId: typeIdOfUuid('db', row.databaseId),
    description: row.description,
    sink: { type: row.sinkType, url: row.url, ...row.sinkOptions } as Sink,
    passwordSet: row.passwordSet,
    previousSecretUntil: row.previousSecretUntil,
    state: row.state as ChangeStreamState,
    stateReason: row.stateReason,
    suspended: row.suspended,
    startedAfter: BigInt(row.startedAfter),
    position: BigInt(row.position),
    delivered: BigInt(row.delivered),
    sentBytes: BigInt(row.sentBytes),
    deliveredAt: row.deliveredAt,
    pendingFrom: row.pendingFrom === null ? null : BigInt(row.pendingFrom),
    failures: row.failures,
    failing: row.failing as FailingPart | null,
    failingSince: row.failingSince,
    lastError: row.lastError as StreamError | null,
    dueAt: row.dueAt,
    leaseUntil: row.leaseUntil,
    version: row.version,
    createdBy: row.createdBy as Actor,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
