/** A running replica with its ports: put together, told, and stopped as one. */
import type { Logger } from 'pino';
import { systemClock } from '../../base/clock.ts';
import {
  EngineWarning,
  isNear,
  ReplicaRole,
  type BuiltinStatus,
} from '../../domain/engine-status.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { FileLog } from '../log/file-log.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import { Replica } from '../replica/replica.ts';
import { engineRelease, formatRelease } from '../wire/release.ts';
import { ClientServer } from './client-server.ts';
import { metricsText } from './metrics.ts';
import { StatusServer } from './status-server.ts';

export interface EngineOptions {
  readonly path: string;
  readonly version: string;
  readonly batchSizeLimit: number;
  readonly memoryLimitBytes: number;
  readonly connectionsMax: number;
  readonly logger: Logger;
  /** The data file cannot be written any more: the process must end. */
  readonly onFatal: (error: Error) => void;
}

const tickMs = 100;

export class Engine {
  readonly replica: Replica;
  readonly clients: ClientServer;
  readonly #options: EngineOptions;
  readonly #log: FileLog;
  readonly #ledger: StateMachine;
  readonly #status: StatusServer;
  #ready = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: EngineOptions, log: FileLog) {
    this.#options = options;
    this.#log = log;
    this.#ledger = new StateMachine({ memoryLimitBytes: options.memoryLimitBytes });
    this.replica = new Replica({
      log,
      ledger: this.#ledger,
      clock: systemClock,
      batchSizeLimit: options.batchSizeLimit,
      onCheckpointError: (error) => options.logger.error({ error }, 'checkpoint failed'),
    });
    this.clients = new ClientServer({
      replica: this.replica,
      identity: log.identity,
      connectionsMax: options.connectionsMax,
      logger: options.logger,
    });
    this.#status = new StatusServer({
      status: () => this.status(),
      unready: () => (this.#ready ? undefined : 'not serving'),
      metrics: () =>
        metricsText(this.status(), {
          requests: this.replica.requests,
          refused: this.replica.refused,
          streamErrors: this.clients.streamErrors,
        }),
      exportTo: (write) => this.#export(write),
    });
  }

  static async open(options: EngineOptions): Promise<Engine> {
    const log = await FileLog.open({
      path: options.path,
      release: engineRelease,
      onFailure: options.onFatal,
    });
    return new Engine(options, log);
  }

  get identity(): ReplicaIdentity {
    return this.#log.identity;
  }

  /** Serves the status from now on; says that it is not ready until `serve` is done. */
  serveStatus(host: string, port: number): Promise<number> {
    return this.#status.listen(host, port);
  }

  /** Loads the data file and then serves clients; gives the port. */
  async serve(host: string, port: number): Promise<number> {
    const started = performance.now();
    const replayed = await this.replica.recover();
    const { op } = this.replica.position;
    const tookMs = Math.round(performance.now() - started);
    this.#options.logger.info(
      { op, replayed, tookMs, ...this.#ledger.counts() },
      'data file loaded',
    );
    const bound = await this.clients.listen(host, port, 3_000);
    this.#timer = setInterval(() => this.replica.tick(), tickMs);
    this.#ready = true;
    return bound;
  }

  /** Answers what was taken, writes a checkpoint, closes everything. */
  async stop(): Promise<void> {
    this.#ready = false;
    clearInterval(this.#timer);
    this.clients.stopAccepting();
    await this.replica.stop();
    this.clients.close();
    this.#status.close();
  }

  status(): BuiltinStatus {
    const { position } = this.replica;
    const { identity } = this.#log;
    const memory = this.#ledger.memory();
    const storage = this.#log.storage();
    const logFull = this.#ready && this.#log.logFull;
    const counts = this.#ledger.counts();
    const acceptsWrites = this.#ready && this.replica.acceptsWrites;
    return {
      engine: 'Builtin',
      version: this.#options.version,
      release: formatRelease(engineRelease),
      clusterId: String(identity.clusterId),
      replicaIndex: identity.replicaIndex,
      replicaCount: identity.replicaCount,
      role: this.#ready ? ReplicaRole.primary : ReplicaRole.recovering,
      view: position.view,
      op: position.op,
      commit: this.replica.committedOp,
      checkpoint: this.replica.checkpointOp,
      syncing: !this.#ready,
      stateHash: Buffer.from(position.stateHash).toString('hex'),
      acceptsWrites,
      warnings: this.#warnings(acceptsWrites, logFull, memory, storage),
      sessions: this.replica.sessions.size,
      connections: this.clients.connections,
      accounts: counts.accounts,
      transfers: counts.transfers,
      memory,
      storage,
    };
  }

  #warnings(
    acceptsWrites: boolean,
    logFull: boolean,
    memory: BuiltinStatus['memory'],
    storage: BuiltinStatus['storage'],
  ): EngineWarning[] {
    const warnings: EngineWarning[] = [];
    if (logFull) warnings.push(EngineWarning.storageFull);
    else if (storage.limitBytes > 0 && isNear(storage))
      warnings.push(EngineWarning.storageNearLimit);
    if (this.#ready && !acceptsWrites && !logFull) warnings.push(EngineWarning.memoryAtLimit);
    else if (isNear(memory)) warnings.push(EngineWarning.memoryNearLimit);
    return warnings;
  }

  async #export(write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    await this.replica.checkpointNow();
    await this.#log.exportTo({ write });
  }
}
