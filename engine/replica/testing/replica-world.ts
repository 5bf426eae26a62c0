/** Three or six whole replicas on a fake etcd, with clients, under a schedule of faults. One seed decides everything. */
import { Freezer } from '../../log/replicated/testing/freezer.ts';
import { sleep, type Timers } from '../../../base/timers.ts';
import { isDerived } from '../../ledger/checkpoint.ts';
import { TableId } from '../../ledger/checkpoint-tables.ts';
import { isPage, PAGE_BYTES, pageNameAt, type PageName } from '../../ledger/page.ts';
import { StateMachine } from '../../ledger/state-machine.ts';
import { WeakHash } from '../../ledger/testing/weak-hash.ts';
import { DataFile } from '../../log/data-file.ts';
import { createEmpty } from '../../log/format-file.ts';
import { type Piece, readManifest, type StoredSection } from '../../log/manifest.ts';
import { replaceDataFile } from '../../log/replace-file.ts';
import { readSuperblock } from '../../log/superblock.ts';
import { FakeCluster, noFaults } from '../../log/replicated/testing/fake-cluster.ts';
import { FakeStore } from '../../log/replicated/testing/fake-store.ts';
import { Simulation } from '../../log/replicated/testing/simulation.ts';
import { MemoryStorage } from '../../log/testing/memory-storage.ts';
import type {
  HeardPeer,
  PeerHandler,
  PeerHeartbeat,
  PeerLink,
  Withdrawal,
  MissingRequest,
} from '../../peers/peer-link.ts';
import { buildEviction } from '../../wire/header.ts';
import { batchSizeLimitProduction } from '../../wire/limits.ts';
import { Operation } from '../../wire/operations.ts';
import { engineRelease } from '../../wire/release.ts';
import type { ReplicaStanding } from '../served-replica.ts';
import { ReplicatedReplica } from '../replicated-replica.ts';
import type { StateTransfer } from '../state-transfer.ts';
import type { PauseAnswer } from '../../last-backup/questions.ts';
import { History } from './history.ts';
import { OneRuleLedger, TwoRulesLedger } from './other-releases.ts';
import { SimClient, type ClientWorld } from './sim-client.ts';

interface WorldOptions {
  readonly seed: number;
  readonly chaosMs: number;
  readonly replicaCount?: number;
  readonly clients?: number;
  /** Index of a replica with faulty memory. */
  readonly broken?: number;
  /** Clients send each request to one more replica than the leader; true by default. */
  readonly hedges?: boolean;
  /** If true, some requests have hundreds of transfers. */
  readonly hasBulk?: boolean;
  /** Bytes of blocks kept for replicas that are behind; random by default. */
  readonly retainedBytesMax?: number;
  /** Rows of a segment of the index; 16 by default, so that checkpoints have many. */
  readonly sealRows?: number;
  /** Index of a replica whose volume rots during the chaos. */
  readonly rotting?: number;
}

interface Outcome {
  readonly violation: Error | undefined;
  readonly writes: number;
  readonly reads: number;
  /** Transfers of requests that have hundreds of them. */
  readonly others: number;
  readonly reigns: number;
  readonly catchUps: number;
  readonly mendedPages: number;
  /** Bytes of pages that stayed where they were when another replica's state was taken. */
  readonly keptBytes: number;
}

const PATH = '/disk/replica.ledger';
/** Offset of its table's number in a page. */
const PAGE_TABLE_AT = 4032;
const HEALED_MS = 15_000;
const EPOCH_MS = 1e6;

export class ReplicaWorld implements ClientWorld {
  readonly simulation: Simulation;
  readonly history = new History();
  readonly cluster: FakeCluster;
  readonly replicaCount: number;
  readonly members: readonly SimMember[];
  readonly retainedBytesMax: number;
  readonly sealRows: number;
  readonly broken: number | undefined;
  readonly rotting: number | undefined;
  readonly hedges: boolean;
  readonly hasBulk: boolean;
  readonly clients: readonly SimClient[];
  reigns = 0;
  /** Whether replicas are of a release that sends the missing pages of a state. */
  sendsMissing = true;
  /** Time that fetching another replica's state takes. */
  fetchMs = 0;
  /** Called when a replica has read a data file and builds its indexes. */
  onFinishLoad: () => void = () => undefined;
  /** Part of the messages between clients and replicas, and among replicas, that is lost. */
  loss = 0;
  #chaos = false;

  constructor(options: WorldOptions) {
    const { seed, replicaCount = 3, clients = 4, broken, hedges = true } = options;
    this.simulation = new Simulation(seed);
    this.broken = broken;
    this.rotting = options.rotting;
    this.hedges = hedges;
    this.hasBulk = options.hasBulk ?? false;
    this.replicaCount = replicaCount;
    this.cluster = new FakeCluster(this.simulation, new FakeStore(), replicaCount);
    // In few worlds almost nothing is kept for replicas that are behind, because fetching a state takes long here.
    const retainedBytesMax = this.simulation.chance(0.15) ? 3000 : 1 << 24;
    this.sealRows = options.sealRows ?? 16;
    this.retainedBytesMax = options.retainedBytesMax ?? retainedBytesMax;
    this.members = Array.from({ length: replicaCount }, (_, i) => new SimMember(this, i));
    this.clients = Array.from({ length: clients }, (_, i) => new SimClient(this, BigInt(i + 1)));
  }

  /** Delivers a message after a delay, or loses it. */
  carry(arrive: () => void): void {
    const { simulation } = this;
    if (simulation.chance(this.loss)) return;
    simulation.after(simulation.between(0.2, 5), arrive);
  }

  /** The true time, ms since the UNIX epoch. */
  get trueMs(): number {
    return EPOCH_MS + this.simulation.nowMs;
  }

  /** The replica that leads and knows it. */
  get leader(): SimMember | undefined {
    return this.members.find(({ standing }) => standing?.role === 'primary');
  }

  deliver(replica: number, message: Uint8Array, client: SimClient): void {
    const member = this.members[replica];
    this.carry(() => member?.receive(message, client));
  }

  /** Runs without faults for `ms`. */
  async runQuietly(ms: number): Promise<void> {
    await this.#begin();
    await this.simulation.run(ms);
  }

  end(): void {
    for (const member of this.members) member.kill();
  }

  async #begin(): Promise<void> {
    for (const member of this.members) await member.format();
    for (const member of this.members) member.start();
    for (const client of this.clients) client.begin();
  }

  async run(chaosMs: number): Promise<Outcome> {
    await this.#begin();
    const disturb = (): void => {
      if (this.#chaos) this.#disturb();
      this.simulation.after(this.simulation.between(20, 120), disturb);
    };
    disturb();
    await this.simulation.run(400);
    this.#chaos = true;
    for (let passed = 0; passed < chaosMs && !this.#violation; passed += 100)
      await this.simulation.run(100);
    await this.#heal();
    const outcome = {
      violation: this.#violation,
      writes: this.history.writes,
      reads: this.history.reads,
      others: this.history.others,
      reigns: this.reigns,
      catchUps: this.members.reduce((sum, { catchUps }) => sum + catchUps, 0),
      mendedPages: this.members.reduce((sum, { mendedPages }) => sum + mendedPages, 0),
      keptBytes: this.members
        .flatMap(({ taken }) => taken)
        .reduce((sum, { keptBytes }) => sum + keptBytes, 0),
    };
    this.end();
    return outcome;
  }

  get #violation(): Error | undefined {
    return this.history.violation;
  }

  #disturb(): void {
    const { simulation, cluster } = this;
    const rate = simulation.chance(0.4) ? 0 : simulation.between(0, 0.4);
    this.loss = simulation.chance(0.5) ? 0 : rate * simulation.random();
    cluster.faults = {
      lostCall: rate * simulation.random(),
      lostAnswer: rate * simulation.random(),
      lateAnswer: rate * simulation.random(),
      lateCall: rate * simulation.random(),
      brokenWatch: rate * 0.2,
    };
    if (this.rotting !== undefined) void this.members[this.rotting]!.rot();
    const index = simulation.below(this.replicaCount);
    const member = this.members[index]!;
    const later = (act: () => void): void => {
      simulation.after(simulation.between(20, 700), act);
    };
    switch (simulation.below(15)) {
      case 0:
      case 1:
        member.kill();
        later(() => member.start());
        break;
      case 2:
        member.freeze();
        later(() => member.thaw());
        break;
      case 3:
        cluster.cutOff(index);
        later(() => cluster.join(index));
        break;
      case 4:
        cluster.hang(index);
        later(() => cluster.goOn(index));
        break;
      case 5:
      case 6:
        cluster.elect();
        break;
      case 7:
        member.handOver();
        break;
      case 8:
      case 9:
        member.checkpoint();
        break;
      case 10:
        // Only one clock is wrong at a time: two wrong clocks of three that agree would define the time.
        if (this.members.some(({ aheadMs }) => aheadMs !== 0)) break;
        member.aheadMs = simulation.below(2) === 0 ? 3_600_000 : -3_600_000;
        later(() => void (member.aheadMs = 0));
        break;
      default:
    }
  }

  async #heal(): Promise<void> {
    if (this.#violation) return;
    this.#chaos = false;
    this.loss = 0;
    this.cluster.faults = noFaults;
    for (const member of this.members) {
      member.aheadMs = 0;
      this.cluster.join(member.index);
      this.cluster.goOn(member.index);
      member.thaw();
      member.start();
    }
    // Everything planned during the chaos ends within this time.
    await this.simulation.run(1000);
    for (const member of this.members) member.start();
    for (const client of this.clients) client.stopped = true;
    for (let passed = 0; passed < HEALED_MS && !this.#isLevel() && !this.#violation; passed += 250)
      await this.simulation.run(250);
    if (this.#violation) return;
    if (!this.#isLevel()) {
      const ops = this.members.map(({ op }) => op).join(', ');
      const idle = this.clients.filter(({ isIdle }) => isIdle).length;
      this.history.fail(`healed, and not level within 15 s: ops ${ops}, ${idle} clients answered`);
      return;
    }
    // One transfer of each client has expired meanwhile.
    for (const { transfers } of this.members)
      this.history.finished(transfers - this.clients.length - this.history.others);
  }

  #isLevel(): boolean {
    if (this.members.some(({ pending }) => pending !== 0)) return false;
    const states = new Set(this.members.map(({ op, stateHash }) => `${op} ${stateHash}`));
    return states.size === 1 && this.clients.every(({ isIdle }) => isIdle);
  }
}

/** A client as a replica sees it. */
interface Receiver {
  take(message: Uint8Array): void;
  /** True once its connections are closed. */
  readonly isGone?: boolean;
}

/** A machine with a disk, on which a replica may run. */
export class SimMember {
  readonly index: number;
  readonly #world: ReplicaWorld;
  #storage = new MemoryStorage();
  #replica: ReplicatedReplica | undefined;
  #link: SimLink | undefined;
  #starts = 0;
  /** Holds callbacks while the process stands still. */
  readonly #freezer = new Freezer();
  #data: DataFile | undefined;
  catchUps = 0;
  /** States that were taken from other replicas. */
  readonly taken: StateTransfer[] = [];
  /** Why checkpoints and fetches of a state failed. */
  readonly checkpointErrors: unknown[] = [];
  /** Damaged pages that were written anew. */
  mendedPages = 0;
  /** The newest rules of the ledger that the release on this machine knows; `undefined`: those of this one. */
  rulesMax: number | undefined;
  /** True if the test expects it to halt or not to start. */
  mayHalt = false;
  recoverError: Error | undefined;
  /** How far this machine's clock is ahead of the true time, ms. */
  aheadMs = 0;

  constructor(world: ReplicaWorld, index: number) {
    this.#world = world;
    this.index = index;
  }

  /** This machine's clock, ms since the UNIX epoch. */
  get wallMs(): number {
    return this.#world.trueMs + this.index + this.aheadMs;
  }

  get link(): SimLink | undefined {
    return this.#link;
  }

  get op(): number | undefined {
    return this.#replica?.position.op;
  }

  get ledger(): StateMachine | undefined {
    return this.#replica?.ledger;
  }

  get stateHash(): string {
    const hash = this.#replica?.position.stateHash ?? new Uint8Array(0);
    return Buffer.from(hash).toString('hex');
  }

  /** Rules that its ledger uses now. */
  get rules(): number | undefined {
    return this.#replica?.ledger instanceof TwoRulesLedger ? this.#replica.ledger.rules : 1;
  }

  /** Asks it for a pause of writes. */
  pauseWrites(lengthMs: number): Promise<PauseAnswer | undefined> {
    return Promise.resolve(this.#replica?.pauseWrites(lengthMs));
  }

  /** Time of its last operation, ms since the UNIX epoch. */
  get executedMs(): number {
    return Number((this.#replica?.position.timestamp ?? 0n) / 1_000_000n);
  }

  get writesPaused(): boolean | undefined {
    return this.#replica?.writesPaused;
  }

  get standing(): ReplicaStanding | undefined {
    return this.#replica?.standing();
  }

  get view(): number | undefined {
    return this.#replica?.view;
  }

  get checkpointOp(): number | undefined {
    return this.#replica?.checkpointOp;
  }

  /** Tables of the sections in its data file, in the order in which a start reads them. */
  async storedTables(): Promise<readonly number[]> {
    const file = await this.#storage.open(PATH, { exclusive: false });
    const sections = await readManifest(file, await readSuperblock(file));
    return sections.map(({ table }) => table);
  }

  /** Fills the disk until the next start. */
  fillDisk(): void {
    const storage = this.#storage;
    storage.capacity = storage.paths.reduce((sum, path) => sum + storage.bytes(path).length, 0);
  }

  /** Flips a bit in every page of transfers of the data file. */
  damagePages(): void {
    this.#storage.rot(PATH, (bytes) => {
      for (const at of pagesIn(bytes)) bytes[at + 100]! ^= 1;
    });
  }

  /** Flips a bit somewhere in the newest checkpoint's tables. */
  async rot(): Promise<void> {
    const { simulation } = this.#world;
    const [kind, table, piece, byte, bit] = Array.from({ length: 5 }, () => simulation.random());
    const storage = this.#storage;
    const file = await storage.open(PATH, { exclusive: false });
    const all = await readManifest(file, await readSuperblock(file));
    const paged = all.filter(({ table: of, rowSize }) => !isDerived(of) && rowSize === PAGE_BYTES);
    // Pages of rows in half of the cases, because there are many other tables.
    const tables = Map.groupBy(kind! < 0.5 ? paged : all, ({ table: of }) => of);
    const sections = [...tables.values()][Math.floor(table! * tables.size)] ?? [];
    const pieces = sections.flatMap((section) => section.pieces);
    const chosen = pieces[Math.floor(piece! * pieces.length)];
    if (chosen === undefined || storage !== this.#storage) return;
    const at = chosen.offset + Math.floor(byte! * chosen.size);
    storage.rot(PATH, (bytes) => (bytes[at]! ^= 1 << Math.floor(bit! * 8)));
    const section = paged.find(({ pieces: of }) => of.includes(chosen));
    if (section !== undefined) this.#needPages(section, chosen, at - chosen.offset);
  }

  /** Reads the page at this place of a piece, as an operation does that needs it. */
  #needPages({ table, firstRow, pieces }: StoredSection, piece: Piece, at: number): void {
    const before = pieces.slice(0, pieces.indexOf(piece)).reduce((sum, { size }) => sum + size, 0);
    const page = firstRow + Math.floor((before + at) / PAGE_BYTES);
    void this.#data?.pages.read([{ table, page }], () => true).catch(() => undefined);
  }

  /** Number of damaged pages of transfers in the data file. */
  damagedPages(): number {
    const bytes = this.#storage.bytes(PATH);
    const words = new Uint32Array(bytes.buffer);
    return pagesIn(bytes).filter((at) => !isPage(words, at / 4, pageNameAt(words, at / 4))).length;
  }

  /** Flips a bit in the first piece that the checkpoint has of a table. */
  async damageTable(table: number): Promise<void> {
    const file = await this.#storage.open(PATH, { exclusive: false });
    const sections = await readManifest(file, await readSuperblock(file));
    const { pieces } = sections.find((section) => section.table === table)!;
    this.#storage.rot(PATH, (bytes) => (bytes[pieces[0]!.offset + 9]! ^= 1));
  }

  fileBytes(): Uint8Array {
    return this.#storage.bytes(PATH);
  }

  /** Number of pending transfers. */
  get pending(): number | undefined {
    return this.#replica?.ledger.counts().pendingTransfers;
  }

  get transfers(): number {
    return this.#replica?.ledger.counts().transfers ?? 0;
  }

  get #identity() {
    return { clusterId: 0n, replicaIndex: this.index, replicaCount: this.#world.replicaCount };
  }

  format(): Promise<void> {
    return createEmpty({
      path: PATH,
      identity: this.#identity,
      release: engineRelease,
      logSizeBytes: 1 << 16,
      storage: this.#storage,
    });
  }

  start(): void {
    if (this.#replica !== undefined) return;
    const { simulation, cluster, history, retainedBytesMax } = this.#world;
    this.#starts += 1;
    this.#storage = this.#storage.afterKill();
    const storage = this.#storage;
    const run = this.#starts;
    const gate = (callback: () => void): void => {
      const alive = (): void => {
        if (run === this.#starts && this.#replica !== undefined) callback();
      };
      this.#freezer.run(alive);
    };
    const timers: Timers = {
      ...simulation.timers,
      wallMs: () => this.wallMs,
      // As in Node.js, a timer takes a millisecond at least.
      after: (ms, callback) => simulation.after(Math.max(ms, 1), () => gate(callback)),
    };
    const link = new SimLink(this.#world, this.index, gate);
    const identity = this.#identity;
    const replica = new ReplicatedReplica({
      identity,
      incarnation: 1,
      nonce: `${this.index}-${run}`,
      openFile: () => this.#openFile(),
      replaceFile: (receive, closeOld) =>
        replaceDataFile({
          path: PATH,
          identity,
          incarnation: 1,
          release: engineRelease,
          storage,
          receive,
          closeOld,
        }),
      newLedger: () => this.#newLedger(),
      etcd: cluster.client(this.index, gate),
      peers: link,
      timers,
      random: simulation.random,
      batchSizeLimit: batchSizeLimitProduction,
      pause: () => Promise.resolve(),
      checkpointAfterBytes: 20_000,
      retainedBytesMax,
      onCheckpointError: (error) => void this.checkpointErrors.push(error),
      onStateTaken: (taken) => void this.taken.push(taken),
      onHalted: (error) => {
        if (this.#world.broken !== this.index && !this.mayHalt)
          history.fail(`replica ${this.index} halted: ${error.message}`);
      },
      onRole: ({ kind }) => {
        if (kind === 'leading') this.#world.reigns += 1;
      },
    });
    this.#replica = replica;
    this.#link = link;
    void replica.recover().catch((error: unknown) => {
      if (!this.mayHalt) history.fail(String(error));
      this.recoverError = error as Error;
    });
    const tick = (): void => {
      replica.tick();
      this.catchUps += replica.catchUps;
      replica.catchUps = 0;
      timers.after(100, tick);
    };
    timers.after(100, tick);
  }

  async #openFile(): Promise<DataFile> {
    const { simulation, history, rotting } = this.#world;
    this.#data = await DataFile.open({
      path: PATH,
      release: engineRelease,
      storage: this.#storage,
      onMended: ({ pages }) => void (this.mendedPages += pages),
      onFailure: (error) => {
        const { code } = (error.cause ?? {}) as { readonly code?: string };
        if (rotting !== this.index || code !== 'index_damaged') history.fail(error.message);
        this.kill();
        // The next start makes the index from the rows.
        simulation.after(50, () => this.start());
      },
    });
    return this.#data;
  }

  #newLedger(): StateMachine {
    const Whole = { 1: OneRuleLedger, 2: TwoRulesLedger }[this.rulesMax ?? 0] ?? StateMachine;
    const Ledger = this.#world.broken === this.index ? BrokenLedger : Whole;
    // Replica 0 keeps its rows in memory. Those of the others leave as soon as they may, and come back into caches of few pages.
    const accounts = { accountsShift: 5, accountsStayBytes: 0, liveAccountsMax: 2 };
    const rows = { rowsLeaveAtBytes: 0, rowsShift: 2, pageCacheBytes: this.index * PAGE_BYTES };
    const cold = { ...rows, ...accounts };
    const hashKey = { low: this.index, high: 1 };
    const ledger = new Ledger({
      memoryLimitBytes: 1 << 30,
      hashKey,
      // Hashes of replica 1 are often equal.
      ...(this.index === 1 ? { hash: new WeakHash(hashKey) } : {}),
      indexSizes: {
        sealRows: this.#world.sealRows,
        chunkRows: 4,
        pageBytes: 4096,
        // Replica 2 merges segments on its volume to its volume.
        ...(this.index === 2 ? { deltaBytesMax: 16 << 12 } : {}),
      },
      ...(this.index === 0 ? {} : cold),
    });
    const finish = ledger.finishLoad.bind(ledger);
    ledger.finishLoad = (pause, store) => {
      this.#world.onFinishLoad();
      return finish(pause, store);
    };
    return ledger;
  }

  /** Kills the process as SIGKILL does: requests to etcd may still take effect, but no answer comes back. */
  kill(): void {
    this.#replica?.abandon();
    this.#replica = undefined;
    this.#data = undefined;
    this.#link = undefined;
    this.#freezer.forget();
  }

  /** Stops the process as SIGTERM does. */
  async stop(): Promise<void> {
    await this.#replica?.stop();
    this.kill();
  }

  freeze(): void {
    this.#freezer.freeze();
  }

  thaw(): void {
    this.#freezer.thaw();
  }

  handOver(): void {
    if (!this.#freezer.isFrozen) void this.#replica?.handOver('stopping');
  }

  checkpoint(): void {
    if (!this.#freezer.isFrozen) this.#replica?.checkpointNow().catch(() => undefined);
  }

  receive(message: Uint8Array, client: Receiver): void {
    const run = this.#starts;
    const answer = (bytes: Uint8Array): void => this.#world.carry(() => client.take(bytes));
    const act = (): void => {
      if (run !== this.#starts) return;
      this.#replica?.receive(message, {
        get isOpen() {
          return client.isGone !== true;
        },
        send: ({ header, body }) => answer(Buffer.concat([header, body])),
        evict: (id, reason, view) =>
          answer(
            buildEviction({
              cluster: 0n,
              view,
              release: engineRelease,
              replica: this.index,
              client: id,
              reason,
            }),
          ),
      });
    };
    this.#freezer.run(act);
  }
}

/** Returns the offsets of what says that it is a page of transfers. */
function pagesIn(bytes: Uint8Array): readonly number[] {
  const fields = new DataView(bytes.buffer, bytes.byteOffset);
  const offsets = Array.from(
    { length: Math.floor(bytes.length / PAGE_BYTES) },
    (_, i) => i * PAGE_BYTES,
  );
  return offsets.filter(
    (at) => fields.getUint32(at + PAGE_TABLE_AT, true) === TableId.transferPages,
  );
}

/** A ledger that forgets the tenth operation. */
class BrokenLedger extends StateMachine {
  #operations = 0;

  override commit(operation: number, timestamp: bigint, body: Uint8Array): Uint8Array {
    this.#operations += 1;
    if (this.#operations !== 10) return super.commit(operation, timestamp, body);
    return super.commit(Operation.pulse, timestamp, new Uint8Array(0));
  }
}

class SimLink implements PeerLink {
  readonly #world: ReplicaWorld;
  readonly #self: number;
  readonly #gate: (callback: () => void) => void;
  readonly #heard = new Map<number, HeardPeer>();
  handler: PeerHandler | undefined;

  constructor(world: ReplicaWorld, self: number, gate: (callback: () => void) => void) {
    this.#world = world;
    this.#self = self;
    this.#gate = gate;
  }

  all(): readonly HeardPeer[] {
    return [...this.#heard.values()];
  }

  begin(handler: PeerHandler): void {
    this.handler = handler;
  }

  beat(heartbeat: PeerHeartbeat): void {
    if (this.#world.broken !== this.#self)
      this.#world.history.state(heartbeat.op, heartbeat.stateHash);
    for (const { index } of this.#world.members) {
      if (index !== this.#self) this.#to(index, (link) => link.hear(heartbeat));
    }
  }

  forward(replica: number, message: Uint8Array): void {
    this.#to(replica, ({ handler }) => handler?.forwarded(this.#self, message));
  }

  withdraw(replica: number, withdrawal: Withdrawal): void {
    this.#to(replica, ({ handler }) => handler?.withdrawn(this.#self, withdrawal));
  }

  answer(replica: number, message: Uint8Array): void {
    const copy = new Uint8Array(message);
    this.#to(replica, ({ handler }) => handler?.answered(copy));
  }

  async fetchState(
    replica: number,
    floor: number,
    write: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const handler = this.#world.members[replica]?.link?.handler;
    if (handler === undefined) throw new Error('the peer is down');
    await handler.sendState(floor, (bytes) => write(bytes.slice()));
    await sleep(this.#world.simulation.timers, this.#world.fetchMs);
  }

  async fetchMissing(
    replica: number,
    { floor, held }: MissingRequest,
    write: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const handler = this.#world.members[replica]?.link?.handler;
    if (handler === undefined) throw new Error('the peer is down');
    await handler.sendMissing(floor, held, (bytes) => write(bytes.slice()));
    await sleep(this.#world.simulation.timers, this.#world.fetchMs);
  }

  async fetchPages(replica: number, pages: readonly PageName[]): Promise<readonly Uint8Array[]> {
    const handler = this.#world.members[replica]?.link?.handler;
    if (handler === undefined) throw new Error('the peer is down');
    const sent: Uint8Array[] = [];
    await handler.sendPages(pages, async (bytes) => void sent.push(bytes.slice()));
    await sleep(this.#world.simulation.timers, 1);
    return sent;
  }

  close(): void {
    this.handler = undefined;
  }

  hear(heartbeat: PeerHeartbeat): void {
    const { simulation, sendsMissing } = this.#world;
    const older = sendsMissing ? {} : { sendsMissing: undefined };
    const peer = { ...heartbeat, ...older, heardAtMs: simulation.nowMs };
    this.#heard.set(heartbeat.replica, peer);
    this.handler?.heard(peer);
  }

  #to(replica: number, act: (link: SimLink) => void): void {
    this.#world.carry(() => {
      const link = this.#world.members[replica]?.link;
      if (link !== undefined) link.#gate(() => act(link));
    });
  }
}

export function runWorld(options: WorldOptions): Promise<Outcome> {
  return new ReplicaWorld(options).run(options.chaosMs);
}
