/** Puts a replica together with what it stands on: its data file alone, or with etcd and the other replicas. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { systemClock } from '../../base/clock.ts';
import { systemTimers } from '../../base/timers.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { DataFile } from '../log/data-file.ts';
import { FileLog } from '../log/file-log.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import { replaceDataFile } from '../log/replace-file.ts';
import { createEtcdClient } from '../log/replicated/etcd-client.ts';
import type { PeerAddress } from '../peers/tcp-link.ts';
import { TcpLink } from '../peers/tcp-link.ts';
import { Replica } from '../replica/replica.ts';
import { ReplicatedReplica } from '../replica/replicated-replica.ts';
import type { ServedReplica } from '../replica/served-replica.ts';
import { MemberMismatch } from './member-mismatch.ts';
import { engineRelease } from '../wire/release.ts';

/** What a replica of several is started with besides. */
export interface ClusterOptions {
  /** The etcd member beside this replica: `unix:/path/of/socket` or `host:port`. */
  readonly etcd: string;
  /** Where replicas reach each other, in order. */
  readonly peerAddresses: readonly PeerAddress[];
  /** Where this one serves the others; its own entry of `peerAddresses` when absent. */
  readonly peerListen: PeerAddress | undefined;
  readonly incarnation: number;
}

export interface MemberOptions {
  readonly path: string;
  readonly batchSizeLimit: number;
  readonly memoryLimitBytes: number;
  /** Of a replica of several. */
  readonly cluster?: ClusterOptions | undefined;
  readonly logger: Logger;
  /** The data file cannot be written any more: the process must end. */
  readonly onFatal: (error: Error) => void;
}

export interface Member {
  readonly identity: ReplicaIdentity;
  readonly replica: ServedReplica;
  storage(): { readonly usedBytes: number; readonly limitBytes: number };
  /** The newest checkpoint, as an exported data file. */
  exportTo(write: (bytes: Uint8Array) => Promise<void>): Promise<void>;
}

/** Rejects with DataFileError or MemberMismatch. */
export async function openMember(options: MemberOptions): Promise<Member> {
  const { path, onFatal } = options;
  const data = await DataFile.open({ path, release: engineRelease, onFailure: onFatal });
  const { identity } = data;
  const { cluster } = options;
  if (identity.replicaCount === 1) return single(options, data);
  if (cluster?.peerAddresses.length === identity.replicaCount) {
    // Opened again when it is loaded: another replica's state may take its place.
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

function single(options: MemberOptions, data: DataFile): Member {
  const log = new FileLog(data);
  const { memoryLimitBytes, batchSizeLimit, logger } = options;
  const replica = new Replica({
    log,
    ledger: new StateMachine({ memoryLimitBytes }),
    clock: systemClock,
    batchSizeLimit,
    onCheckpointError: (error) => logger.error({ error }, 'checkpoint failed'),
  });
  return {
    identity: log.identity,
    replica,
    storage: () => log.storage(),
    exportTo: async (write) => void (await log.exportTo({ write })),
  };
}

async function oneOfSeveral(
  options: MemberOptions,
  cluster: ClusterOptions,
  identity: ReplicaIdentity,
): Promise<Member> {
  const { path, batchSizeLimit, memoryLimitBytes, logger, onFatal } = options;
  const { etcd, peerAddresses, incarnation } = cluster;
  const peers = new TcpLink({
    clusterId: identity.clusterId,
    incarnation,
    self: identity.replicaIndex,
    addresses: peerAddresses,
    timers: systemTimers,
  });
  const own = peerAddresses[identity.replicaIndex];
  const listen = cluster.peerListen ?? own;
  if (listen !== undefined) await peers.listen(listen);
  const replica = new ReplicatedReplica({
    identity,
    incarnation,
    nonce: randomBytes(8).toString('hex'),
    openFile: () => DataFile.open({ path, release: engineRelease, onFailure: onFatal }),
    replaceFile: (receive, closeOld) => replaceDataFile({ path, identity, receive, closeOld }),
    newLedger: () => new StateMachine({ memoryLimitBytes }),
    etcd: createEtcdClient(etcd),
    peers,
    timers: systemTimers,
    clock: systemClock,
    random: Math.random,
    batchSizeLimit,
    pause: (tookMs) => sleep(tookMs),
    onCheckpointError: (error) => logger.error({ error }, 'checkpoint or catching up failed'),
    onHalted: (error) => logger.fatal({ error }, 'this replica serves no more'),
    onRole: (role) => logger.info({ role: role.kind, view: viewOf(role) }, 'role'),
  });
  return {
    identity,
    replica,
    storage: () => replica.storage(),
    exportTo: (write) => replica.exportTo(write),
  };
}

const viewOf = (role: { readonly kind: string; readonly view?: number }): number | undefined =>
  role.view;
