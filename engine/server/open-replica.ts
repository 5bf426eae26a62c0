/** Assembles a replica from its data file alone, or with etcd and the other replicas. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { systemClock } from '../../base/clock.ts';
import { systemTimers } from '../../base/timers.ts';
import { ReplicaRole } from '../../domain/engine-status.ts';
import type { ReadableLog } from '../feed/archive-feed.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import { DataFile } from '../log/data-file.ts';
import { FileLog } from '../log/file-log.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import type { Mended, PagePiece } from '../log/mend.ts';
import type { Scrubbing } from '../log/scrubber.ts';
import { removeUnfinished, replaceDataFile } from '../log/replace-file.ts';
import type { Etcd, EtcdMembership } from '../log/replicated/etcd.ts';
import { createEtcdClient } from '../log/replicated/etcd-client.ts';
import { ReplicatedReader } from '../log/replicated/readable-log.ts';
import type { Role } from '../log/replicated/replicated-log.ts';
import { MemberKeeper } from '../members/member-keeper.ts';
import { OwnMember } from '../members/own-member.ts';
import {
  lastBackupQuestionOf,
  type CheckpointAnswer,
  type LastBackupQuestion,
  type PauseAnswer,
} from '../last-backup/questions.ts';
import { memberIdsOf, questionOf } from '../members/questions.ts';
import type { PeerAddress } from '../peers/tcp-link.ts';
import { TcpLink } from '../peers/tcp-link.ts';
import type { PeerSecurity } from '../peers/peer-security.ts';
import { HaltedError } from '../replica/halted-error.ts';
import { newLedger } from '../replica/new-ledger.ts';
import { memoryDonor } from '../replica/page-donors.ts';
import { Replica } from '../replica/replica.ts';
import { ReplicatedReplica } from '../replica/replicated-replica.ts';
import type { ServedReplica } from '../replica/served-replica.ts';
import type { StateTransfer } from '../replica/state-transfer.ts';
import { MemberMismatch } from './member-mismatch.ts';
import { engineRelease } from '../wire/release.ts';

/** Options that only a replica of several has. */
export interface ClusterOptions {
  /** The etcd member beside this replica: `unix:/path/of/socket` or `host:port`. */
  readonly etcd: string;
  /** Addresses at which replicas reach each other, in order. */
  readonly peerAddresses: readonly PeerAddress[];
  /** Address at which this replica serves the others; its own entry of `peerAddresses` by default. */
  readonly peerListen: PeerAddress | undefined;
  readonly peerSecurity: PeerSecurity;
  readonly incarnation: number;
}

export interface OpenReplicaOptions {
  readonly path: string;
  readonly batchSizeLimit: number;
  readonly memoryLimitBytes: number;
  /** Present for a replica of several. */
  readonly cluster?: ClusterOptions | undefined;
  readonly logger: Logger;
  /** Called when the data file cannot be written any more: the process must end. */
  readonly onFatal: (error: Error) => void;
}

export interface OpenReplica {
  readonly identity: ReplicaIdentity;
  readonly replica: ServedReplica;
  /** The log for an archiver. */
  readonly log: ReadableLog;
  storage(): { readonly usedBytes: number; readonly limitBytes: number };
  /** How far the verification of the data file in the background is. */
  scrubbing(): Scrubbing;
  /** Ends the services beside the replica. Must be called before the replica stops. */
  leave(): void;
  /** Writes the newest checkpoint as an exported data file. */
  exportTo(write: (bytes: Uint8Array) => Promise<void>): Promise<void>;
}

/** Opens the replica. Rejects with DataFileError or MemberMismatch. */
export async function openReplica(options: OpenReplicaOptions): Promise<OpenReplica> {
  const { path, onFatal } = options;
  const data = await DataFile.open({
    path,
    release: engineRelease,
    onFailure: onFatal,
    ...damageLog(options),
  });
  const { identity } = data;
  const { cluster } = options;
  if (identity.replicaCount === 1) return single(options, data);
  if (cluster?.peerAddresses.length === identity.replicaCount) {
    // The file is opened again when it is loaded: another replica's state may replace it before that.
    await data.close();
    return oneOfSeveral(options, cluster, identity);
  }
  await data.close();
  throw new MemberMismatch(
    cluster === undefined
      ? `${path} belongs to a cluster of ${identity.replicaCount} replicas: start it with --etcd and --peer-addresses`
      : `--peer-addresses has ${cluster.peerAddresses.length} of ${identity.replicaCount} entries; all replicas must be named`,
  );
}

/** Rot: the process goes on, with what does not need it, and what can be mended is. */
const damageLog = ({ logger }: OpenReplicaOptions) => ({
  onDamage: (error: Error): void => logger.error({ error }, 'the data file is damaged'),
  onMended: ({ table, pages, from, piece }: Mended & PagePiece): void =>
    logger.warn({ table, pages, from, offset: piece.offset }, 'the data file is mended'),
});

const mergeLog =
  ({ logger }: OpenReplicaOptions) =>
  (error: unknown): void =>
    logger.error(
      { error },
      'pages of the index cannot be read to be merged; they are read again in half a minute',
    );

const newLedgerWith = ({ logger, memoryLimitBytes }: OpenReplicaOptions): StateMachine =>
  newLedger(memoryLimitBytes, {
    onIndexError: (error) =>
      logger.error(
        { error },
        'the thread that seals the index failed; its work goes on without it',
      ),
    onIndexDamage: (error) =>
      logger.error(
        { error },
        'a part of the stored index or the start point is damaged; it is made from the rows',
      ),
  });

function single(options: OpenReplicaOptions, data: DataFile): OpenReplica {
  const log = new FileLog(data);
  const { batchSizeLimit, logger } = options;
  const ledger = newLedgerWith(options);
  const replica = new Replica({
    log,
    ledger,
    clock: systemClock,
    timers: systemTimers,
    batchSizeLimit,
    onCheckpointError: (error) => logger.error({ error }, 'checkpoint failed'),
    onMergeError: mergeLog(options),
    onReadError: (error) => logger.error({ error }, 'a read has no answer'),
    onFatal: (error) => options.onFatal(error as Error),
  });
  log.mendWith({
    donors: async function* donors() {
      yield memoryDonor(ledger);
    },
    checkpoint: (table) => {
      ledger.mustStay(table);
      replica.beginCheckpoint();
    },
  });
  return {
    identity: log.identity,
    replica,
    log,
    storage: () => log.storage(),
    scrubbing: () => log.scrubbing(),
    leave: () => undefined,
    exportTo: async (write) => void (await log.exportTo({ write })),
  };
}

/** Opens the data file of one of several replicas, which shares its volume with the member of etcd. */
const openShared = (options: OpenReplicaOptions): Promise<DataFile> =>
  DataFile.open({
    path: options.path,
    release: engineRelease,
    sharesVolume: true,
    onFailure: options.onFatal,
    ...damageLog(options),
  });

async function oneOfSeveral(
  options: OpenReplicaOptions,
  cluster: ClusterOptions,
  identity: ReplicaIdentity,
): Promise<OpenReplica> {
  const { path, batchSizeLimit, logger } = options;
  const { etcd, peerAddresses, incarnation } = cluster;
  const peers = new TcpLink({
    clusterId: identity.clusterId,
    incarnation,
    self: identity.replicaIndex,
    addresses: peerAddresses,
    security: cluster.peerSecurity,
    timers: systemTimers,
    onQuestion: (from, json) => answerPeer(options, { replica, keeper }, from, json),
  });
  await removeUnfinished(path);
  let keeper: MemberKeeper | undefined;
  let ownMember: OwnMember | undefined;
  const own = peerAddresses[identity.replicaIndex];
  const listen = cluster.peerListen ?? own;
  if (listen !== undefined) await peers.listen(listen);
  const client = createEtcdClient(etcd);
  const log = newReader(client, identity, incarnation, () => replica.executed);
  const replica: ReplicatedReplica = new ReplicatedReplica({
    identity,
    incarnation,
    nonce: randomBytes(8).toString('hex'),
    openFile: () => openShared(options),
    replaceFile: (receive, closeOld) =>
      replaceDataFile({
        path,
        identity,
        incarnation,
        release: engineRelease,
        receive,
        closeOld,
      }),
    newLedger: () => newLedgerWith(options),
    etcd: client,
    archived: log,
    peers,
    timers: systemTimers,
    random: Math.random,
    batchSizeLimit,
    pause: (tookMs) => sleep(tookMs),
    onCheckpointError: (error) => logger.error({ error }, 'checkpoint or catching up failed'),
    onMergeError: mergeLog(options),
    onStateTaken: (taken) => logStateTaken(logger, taken),
    onStateDamaged: (error) =>
      logger.error({ error }, 'the data file is damaged: the state of another replica replaces it'),
    onHalted: (error) => {
      ownMember?.stop();
      logger.fatal({ error }, 'this replica has stopped serving');
    },
    onRole: (role) => logRole(logger, role),
  });
  keeper = newKeeper(options, { client, peers, replica });
  ownMember = watchOwnMember(options, cluster, { client, peers, replica });
  return {
    identity,
    replica,
    log,
    storage: () => replica.storage(),
    scrubbing: () => replica.scrubbing(),
    leave: () => [log, keeper, ownMember].forEach((part) => part?.stop()),
    exportTo: (write) => replica.exportTo(write),
  };
}

interface Asked {
  readonly replica: ReplicatedReplica;
  readonly keeper: MemberKeeper | undefined;
}

async function answerPeer(
  options: OpenReplicaOptions,
  { replica, keeper }: Asked,
  from: number,
  json: unknown,
): Promise<object> {
  const last = lastBackupQuestionOf(json);
  if (last !== undefined) return answerLastBackup(options, replica, last);
  const question = questionOf(json);
  if (question === undefined || keeper === undefined)
    throw new Error('this request is not answered here');
  return keeper.answer(from, question);
}

async function answerLastBackup(
  { logger }: OpenReplicaOptions,
  replica: ReplicatedReplica,
  question: LastBackupQuestion,
): Promise<PauseAnswer | CheckpointAnswer> {
  if (question.ask === 'checkpoint') {
    await replica.checkpointNow();
    return { op: replica.checkpointOp };
  }
  const answer = await replica.pauseWrites(question.milliseconds);
  if (answer.outcome === 'paused') logger.warn({ ...question, op: answer.op }, 'writes are paused');
  return answer;
}

const newReader = (
  etcd: Etcd,
  identity: ReplicaIdentity,
  incarnation: number,
  executed: () => ReplicatedReplica['executed'],
): ReplicatedReader => new ReplicatedReader({ etcd, identity, incarnation, executed });

function logStateTaken(logger: Logger, taken: StateTransfer): void {
  logger.info({ ...taken }, 'the state of another replica was taken');
  if (taken.differingBytes > 0)
    logger.error({ ...taken }, 'pages of rows of this replica were not those of the other one');
}

/** In the words of the manual and the dashboard, since people search for them. */
function logRole(logger: Logger, role: Role): void {
  if (role.kind === 'following') {
    logger.info({ role: 'follower', why: role.why }, 'this replica leads no more');
  } else {
    const { view, why } = role;
    logger.info({ role: 'leader', view, why }, 'this replica leads');
  }
}

interface Parts {
  readonly client: Etcd & EtcdMembership;
  readonly peers: TcpLink;
  readonly replica: ReplicatedReplica;
}

function newKeeper(
  { logger }: OpenReplicaOptions,
  { client, peers, replica }: Parts,
): MemberKeeper {
  return new MemberKeeper({
    membership: client,
    timers: systemTimers,
    leads: () => replica.standing().role === ReplicaRole.primary,
    heardAtMs: (other) => peers.all().find((peer) => peer.replica === other)?.heardAtMs,
    onPromoted: (memberId) => logger.info({ memberId: String(memberId) }, 'learner promoted'),
    onReplaced: (other) => logger.warn({ replica: other }, 'member of a lost replica replaced'),
  });
}

function watchOwnMember(
  { path, logger }: OpenReplicaOptions,
  { incarnation, peerAddresses }: ClusterOptions,
  { client, peers, replica }: Parts,
): OwnMember {
  return new OwnMember({
    path,
    incarnation,
    etcd: client,
    timers: systemTimers,
    askOthers: () => membersByOthers(peers, peerAddresses.length),
    onRemoved: () => replica.halt(wasRemoved()),
    onError: (error) =>
      logger.error({ error }, 'the etcd member of this replica cannot be recorded'),
  });
}

/** Returns the cluster's members as any other replica knows them. */
async function membersByOthers(
  peers: TcpLink,
  replicaCount: number,
): Promise<readonly bigint[] | undefined> {
  for (let other = 0; other < replicaCount; other += 1) {
    // `ask` has a timeout of its own.
    const answer = await peers.ask(other, { ask: 'members' }).catch(() => undefined);
    const members = memberIdsOf(answer);
    if (members !== undefined) return members;
  }
  return undefined;
}

const wasRemoved = (): HaltedError =>
  new HaltedError(
    'member_removed',
    "This replica was replaced: its member was removed from etcd's cluster, and this is the volume that it had before. Nothing here is needed any more: give the replica the volume that took its place, or take this one's files away and bring it back with 'recover'.",
  );
