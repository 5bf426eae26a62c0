/** A running replica with its ports: assembled, observed and stopped as one. */
import { ReplicaRole, type BuiltinStatus } from '../../domain/engine-status.ts';
import { ArchiveFeed, type ReadableLog } from '../feed/archive-feed.ts';
import { ArchiveQuestions } from '../feed/archive-questions.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import type { ServedReplica } from '../replica/served-replica.ts';
import { engineRelease, formatRelease } from '../wire/release.ts';
import { ClientServer } from './client-server.ts';
import { metricsText } from './metrics.ts';
import { openReplica, type OpenReplica, type OpenReplicaOptions } from './open-replica.ts';
import { StatusServer } from './status-server.ts';
import { shortageOf, warningsOf } from './warnings.ts';

interface EngineOptions extends OpenReplicaOptions {
  readonly version: string;
  readonly connectionsMax: number;
  /** Whether an archiver beside the engine follows its log; false by default. */
  readonly archived?: boolean;
}

const tickMs = 100;

export class Engine {
  readonly replica: ServedReplica;
  readonly clients: ClientServer;
  readonly #options: EngineOptions;
  readonly #open: OpenReplica;
  readonly #status: StatusServer;
  readonly #feed: ArchiveFeed | undefined;
  #serving = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: EngineOptions, open: OpenReplica) {
    this.#options = options;
    this.#open = open;
    this.replica = open.replica;
    this.clients = new ClientServer({
      replica: this.replica,
      identity: open.identity,
      connectionsMax: options.connectionsMax,
      logger: options.logger,
    });
    this.#feed = options.archived === true ? this.#newFeed(open.log) : undefined;
    this.#status = new StatusServer({
      archiver: this.#feed && { feed: this.#feed, questions: new ArchiveQuestions() },
      status: () => this.status(),
      hasStarted: () => this.#serving,
      unready: () => (this.#serving ? this.replica.standing().unready : 'not serving'),
      metrics: () =>
        metricsText(this.status(), {
          requests: this.replica.requests,
          refused: this.replica.refused,
          statuses: this.replica.ledger.statuses.all(),
          scrubbing: this.#open.scrubbing(),
          index: this.replica.ledger.index(),
          pages: this.replica.ledger.pages(),
          reigns: this.replica.reigns,
          stateBytes: this.replica.stateBytes,
          archive: this.#feed?.status(),
          streamErrors: this.clients.streamErrors,
          closed: this.clients.closed,
          times: () => this.clients.times.text(),
        }),
      checkpoint: () => this.#checkpoint(),
      exportTo: (write) => this.#export(write),
    });
  }

  static async open(options: EngineOptions): Promise<Engine> {
    return new Engine(options, await openReplica(options));
  }

  get identity(): ReplicaIdentity {
    return this.#open.identity;
  }

  /** Serves the status from now on; it reports "not ready" until `serve` is done. */
  serveStatus(host: string, port: number): Promise<number> {
    return this.#status.listen(host, port);
  }

  /** Loads the data file, then serves clients; returns the port. */
  async serve(host: string, port: number): Promise<number> {
    const started = performance.now();
    const replayed = await this.replica.recover();
    const { op } = this.replica.position;
    const tookMs = Math.round(performance.now() - started);
    const { ledger } = this.replica;
    const did = { replayed, ...ledger.loaded(), tookMs };
    this.#options.logger.info({ op, ...did, ...ledger.counts() }, 'data file loaded');
    const bound = await this.clients.listen(host, port, 3_000);
    this.#feed?.begin();
    this.#timer = setInterval(() => {
      this.replica.tick();
      this.#feed?.tick();
    }, tickMs);
    this.#serving = true;
    return bound;
  }

  /** Answers the requests that were taken, writes a checkpoint, closes everything. */
  async stop(): Promise<void> {
    this.#serving = false;
    clearInterval(this.#timer);
    this.clients.stopAccepting();
    this.#open.leave();
    await this.replica.stop();
    this.clients.close();
    this.#status.close();
  }

  status(): BuiltinStatus {
    const { replica } = this;
    const { position, ledger } = replica;
    const { identity } = this.#open;
    const memory = ledger.memory();
    const storage = this.#open.storage();
    const { damagedBytes, mendedPages } = this.#open.scrubbing();
    const { role, replicaStatus, syncing, logFull, halted, unready, clock } = replica.standing();
    const counts = ledger.counts();
    const acceptsWrites = this.#serving && replica.acceptsWrites;
    return {
      engine: 'Builtin',
      version: this.#options.version,
      release: formatRelease(engineRelease),
      clusterId: String(identity.clusterId),
      replicaIndex: identity.replicaIndex,
      replicaCount: identity.replicaCount,
      role,
      replicaStatus,
      view: position.view,
      op: position.op,
      commit: replica.committedOp,
      checkpoint: replica.checkpointOp,
      syncing,
      stateHash: Buffer.from(position.stateHash).toString('hex'),
      acceptsWrites,
      writesPaused: replica.writesPaused,
      clockAgrees: clock.agrees,
      ...(clock.offsetMs === undefined ? {} : { clockOffsetMs: clock.offsetMs }),
      warnings: warningsOf({
        halted,
        clockDisagrees: this.#serving && !clock.agrees,
        damagedBytes,
        logFull,
        // A replica that does not serve has other reasons for refusing.
        shortage: this.#serving && unready === undefined ? shortageOf(ledger) : undefined,
        memory,
        storage,
      }),
      sessions: replica.sessions.size,
      connections: this.clients.connections,
      accounts: counts.accounts,
      transfers: counts.transfers,
      checkLookups: this.clients.checkLookups.recent(),
      memory,
      storage,
      mendedPages,
      ...(this.#feed === undefined ? {} : { archive: this.#feed.status() }),
    };
  }

  #newFeed(log: ReadableLog): ArchiveFeed {
    const { replica } = this;
    return new ArchiveFeed({
      log,
      nowMs: () => performance.now(),
      committedOp: () => replica.committedOp,
      leads: () => this.#serving && replica.standing().role === ReplicaRole.primary,
      position: () => replica.position,
      counts: () => replica.ledger.counts(),
    });
  }

  /** Resolves with an op that the data file's newest checkpoint contains, like everything executed before. */
  async #checkpoint(): Promise<{ readonly op: number }> {
    if (!this.#serving) throw new Error('the data file is being loaded');
    await this.replica.checkpointNow();
    return { op: this.replica.checkpointOp };
  }

  async #export(write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    await this.replica.checkpointNow();
    await this.#open.exportTo(write);
  }
}
