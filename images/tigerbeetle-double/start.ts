import pino from 'pino';
import type { HostPort } from '../../base/host-port.ts';
import { parseAddress, parseAddresses, required } from '../../engine/commands/values.ts';
import { UsageError, type Input, type Verb } from '../../engine/commands/verb.ts';
import { formatRelease } from '../../engine/wire/release.ts';
import type { DoubleConfig } from './config.ts';
import { DataFile } from './data-file.ts';
import { next, type Member } from './membership.ts';
import { Peer, serveHellos } from './peers.ts';
import { serveSingle } from './single.ts';
import { emitStatistics, type Statistic } from './statistics.ts';

const tickMs = 250;
/** Time for which a recovered replica syncs after it has found the others. */
const syncMs = 2_000;

const experimental = [
  'limit-storage',
  'limit-pipeline-requests',
  'limit-request',
  'cache-accounts',
  'cache-transfers',
  'cache-transfers-pending',
  'memory-lsm-manifest',
  'memory-lsm-compaction',
  'statsd',
];

export const startWith = (config: DoubleConfig): Verb => ({
  name: 'start',
  summary: 'Run a replica from its data file.',
  arguments: ['path'],
  flags: [
    { name: 'addresses', value: 'list', help: 'addresses of all replicas, in order' },
    { name: 'cache-grid', value: 'size', help: 'taken; there is nothing to cache' },
    { name: 'development', value: undefined, help: 'taken; changes nothing here' },
    { name: 'experimental', value: undefined, help: 'allows the flags below' },
    ...experimental.map((name) => ({ name, value: 'value', help: 'experimental' })),
  ],
  async run(input) {
    const [path = ''] = input.arguments;
    const early = experimental.find((name) => input.flag(name) !== undefined);
    if (early !== undefined && input.flag('experimental') === undefined) {
      throw new UsageError(`--${early} is marked experimental, add --experimental to use it`);
    }
    const statsd = input.flag('statsd');
    const replica = await DoubleReplica.open(path, config, readAddresses(input));
    await replica.start(statsd === undefined ? undefined : statsdAddress(statsd));
    return 0;
  },
});

const readAddresses = (input: Input): readonly HostPort[] =>
  parseAddresses(required(input.flag('addresses'), 'addresses'));

const statsdAddress = (text: string): HostPort =>
  parseAddress(/^[\d.]+$|\]$/.test(text) ? `${text}:8125` : text);

class DoubleReplica {
  readonly #path: string;
  readonly #config: DoubleConfig;
  readonly #dataFile: DataFile;
  readonly #own: HostPort;
  readonly #peers: ReadonlyMap<number, Peer>;
  readonly #logger = pino({ level: 'info', base: null }, pino.destination({ dest: 2, sync: true }));
  readonly #startedAt = Date.now();
  #member: Member;
  #normalSinceMs: number | undefined;
  #lookedForReleaseMs = performance.now();
  #records: () => readonly Statistic[] = () => [];

  private constructor(
    path: string,
    config: DoubleConfig,
    dataFile: DataFile,
    addresses: readonly HostPort[],
  ) {
    const { identity, release, view, checkpointOp, syncOpMax } = dataFile.superblock;
    const own = addresses[identity.replicaIndex];
    if (own === undefined || addresses.length < identity.replicaCount) {
      throw new UsageError(`all --addresses must be provided: ${identity.replicaCount} replicas`);
    }
    if (release > config.release) {
      throw new UsageError(
        `the data file's release ${formatRelease(release)} is not available in this program (${formatRelease(config.release)})`,
      );
    }
    this.#path = path;
    this.#config = config;
    this.#dataFile = dataFile;
    this.#own = own;
    this.#peers = new Map(
      addresses
        .slice(0, identity.replicaCount)
        .map((address, replicaIndex) => [replicaIndex, address] as const)
        .filter(([index]) => index !== identity.replicaIndex)
        .map(([replicaIndex, address]) => [
          replicaIndex,
          new Peer(address, { ...identity, replicaIndex }),
        ]),
    );
    this.#member = {
      ...identity,
      status: 1,
      syncStage: syncOpMax === 0 ? 0 : 3,
      view,
      commit: checkpointOp,
      release,
      bundled: config.release,
    };
  }

  static async open(path: string, config: DoubleConfig, addresses: readonly HostPort[]) {
    return new DoubleReplica(path, config, await DataFile.open(path), addresses);
  }

  async start(statsd: HostPort | undefined): Promise<void> {
    const { identity } = this.#dataFile.superblock;
    if (identity.replicaCount === 1) {
      this.#records = await serveSingle(this.#path, this.#dataFile, this.#own, this.#logger);
    } else {
      await serveHellos(
        this.#own,
        () => this.#member,
        (operations) => {
          this.#member = { ...this.#member, commit: this.#member.commit + operations };
        },
      );
    }
    const { host, port } = this.#own;
    this.#logger.info({ replica: identity.replicaIndex, host, port }, 'listening');
    if (statsd !== undefined) {
      emitStatistics(statsd, this.#config.statsdIntervalMs, identity, () => this.#statistics());
    }
    void this.#run();
  }

  async #run(): Promise<never> {
    for (;;) {
      for (const peer of this.#peers.values()) peer.ask();
      await new Promise((resolve) => setTimeout(resolve, tickMs));
      await this.#tick();
    }
  }

  async #tick(): Promise<void> {
    const nowMs = performance.now();
    const looksForRelease = nowMs - this.#lookedForReleaseMs >= this.#config.statsdIntervalMs / 2;
    if (looksForRelease) this.#lookedForReleaseMs = nowMs;
    const heard = [...this.#peers].flatMap(([index, { lately }]) =>
      lately === undefined ? [] : [[index, lately] as const],
    );
    const before = this.#member;
    this.#member = next(before, {
      others: new Map(heard),
      caughtUp: this.#normalSinceMs !== undefined && nowMs - this.#normalSinceMs >= syncMs,
      looksForRelease,
    });
    const { status, view, release, syncStage, commit } = this.#member;
    if (status !== 0) this.#normalSinceMs = undefined;
    else this.#normalSinceMs ??= nowMs;
    if (status !== before.status) this.#logger.info({ status, view }, 'status changed');
    if (view === before.view && release === before.release && syncStage === before.syncStage) {
      return;
    }
    this.#logger.info({ view, release: formatRelease(release), syncStage }, 'superblock changed');
    const isSynced = syncStage === 0;
    await this.#dataFile.update({
      view,
      release,
      checkpointOp: commit,
      ...(isSynced ? { syncOpMax: 0 } : {}),
    });
  }

  #statistics(): readonly Statistic[] {
    const { status, view, commit, release, syncStage } = this.#member;
    const { checkpointOp, syncOpMax } = this.#dataFile.superblock;
    const records = this.#records();
    const own: readonly Statistic[] = [
      { name: 'replica_start', value: this.#startedAt },
      { name: 'replica_status', value: status },
      { name: 'replica_view', value: view },
      { name: 'replica_log_view', value: view },
      { name: 'replica_sync_stage', value: syncStage },
      { name: 'replica_sync_op_min', value: 0 },
      { name: 'replica_sync_op_max', value: syncOpMax },
      { name: 'journal_dirty', value: 0 },
      { name: 'journal_faulty', value: 0 },
      { name: 'grid_blocks_missing', value: 0 },
      { name: 'release', value: release },
    ];
    if (records.length > 0) return [...own, ...records];
    return [
      ...own,
      { name: 'replica_op', value: commit },
      { name: 'replica_op_checkpoint', value: checkpointOp },
      { name: 'replica_commit_min', value: commit },
      { name: 'replica_commit_max', value: commit },
      { name: 'message_bus_connections', value: this.#peers.size, tags: { peer: 'replica' } },
      { name: 'message_bus_connections', value: 0, tags: { peer: 'client' } },
      { name: 'value_count_visible', value: 0, tags: { tree: 'Account.timestamp' } },
      { name: 'value_count_visible', value: 0, tags: { tree: 'Transfer.timestamp' } },
    ];
  }
}
