/**
 * Databases whose log a real archiver sends to a real S3 server, through a proxy that can lose answers, cut them and refuse; and
 * what can be restored from there by the engine's own commands.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { dataFileVariable } from '../../../domain/names.ts';
import { Client } from '../../../engine/client/client.ts';
import { diskStorage } from '../../../engine/log/disk-storage.ts';
import { FORMAT_VERSION_OF_COPIES } from '../../../engine/log/layout.ts';
import { readSuperblock } from '../../../engine/log/superblock.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { mustRun, shell } from '../shell.ts';
import { FaultyProxy } from '../store/faulty-proxy.ts';
import { S3Server } from '../store/s3-server.ts';
import { TestArchiver } from './archiver.ts';
import { engineProgram, TestEngine } from './engine.ts';
import { accountBytes, connectTo, create, lookupAccounts, transferBytes } from './ledger.ts';

/** An archiver says soon that the store is away. A command waits for a store that is slow, as all is on a busy machine. */
const archiverPatience = '--patience=3';
const commandPatience = '--patience=600';

export interface WrittenMoment {
  readonly op: number;
  readonly timestamp: string;
  readonly time: string;
}

export interface Window {
  readonly from?: WrittenMoment;
  readonly to: WrittenMoment;
  readonly follows: string;
  readonly missingOps: number;
}

export interface Restored {
  readonly op: number;
  readonly stateHash: string;
  readonly transfers: number;
  readonly folder: string;
}

interface ArchiverChoice {
  readonly spool?: string;
  readonly flags?: readonly string[];
  readonly store?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** One S3 server and one proxy for a suite. */
export class ArchiveWorld {
  readonly server: S3Server;
  readonly proxy: FaultyProxy;
  /** Whether archivers read the log in the engine's data file, as in a pod, or the engine sends it. */
  readonly readsFile: boolean;
  readonly #begun: (() => Promise<void>)[] = [];
  #databases = 0;

  private constructor(server: S3Server, proxy: FaultyProxy, readsFile: boolean) {
    this.server = server;
    this.proxy = proxy;
    this.readsFile = readsFile;
  }

  static async start({ readsFile = true } = {}): Promise<ArchiveWorld> {
    const server = await S3Server.start();
    return new ArchiveWorld(server, await FaultyProxy.start(server.port), readsFile);
  }

  /** Has something ended after the test, the newest first. */
  onEnd(end: () => Promise<void>): void {
    this.#begun.push(end);
  }

  async endTest(): Promise<void> {
    for (const end of this.#begun.splice(0).reverse()) await end();
    this.proxy.reset();
  }

  async dispose(): Promise<void> {
    await this.proxy.close();
    await this.server.dispose();
  }

  /** A database with two accounts, whose archive is its own. */
  async database(credentials = 'credentials'): Promise<ArchivedDatabase> {
    const id = `db_log_${(this.#databases += 1)}`;
    const engine = await TestEngine.create({ cluster: 0n, flags: ['--archive'] });
    this.onEnd(() => engine.dispose());
    const client = connectTo(engine.port);
    this.onEnd(async () => client.close());
    await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
    const store = [...this.server.flags(id, this.proxy.url, credentials), commandPatience];
    return new ArchivedDatabase(this, { id, engine, client, store });
  }

  /** The state of an engine that runs a restored file, and what both accounts have. */
  async running({ folder }: Restored) {
    const engine = await TestEngine.open(folder);
    this.onEnd(() => engine.dispose());
    const { op, stateHash } = await engine.status();
    const addresses = [{ host: '127.0.0.1', port: engine.port }];
    const client = new Client({ cluster: 99n, addresses, timeoutMs: 120_000 });
    this.onEnd(async () => client.close());
    const [debited, credited] = await lookupAccounts(client, [1n, 2n]);
    return {
      op,
      stateHash,
      debited: Number(debited?.debitsPosted ?? 0n),
      credited: Number(credited?.creditsPosted ?? 0n),
    };
  }
}

interface Parts {
  readonly id: string;
  readonly engine: TestEngine;
  readonly client: Client;
  readonly store: readonly string[];
}

export class ArchivedDatabase {
  readonly id: string;
  readonly engine: TestEngine;
  readonly client: Client;
  /** Flags of commands that use the archive. */
  readonly store: readonly string[];
  readonly #world: ArchiveWorld;
  #lastId = 0n;
  #restores = 0;

  constructor(world: ArchiveWorld, { id, engine, client, store }: Parts) {
    this.#world = world;
    this.id = id;
    this.engine = engine;
    this.client = client;
    this.store = store;
  }

  /** The folder of its segments. */
  get log(): string {
    return join(this.#world.server.bucket, 'house', this.id, 'log', '0001');
  }

  /** Writes one request of transfers of 1 from account 1 to account 2. */
  async write(count: number, client = this.client): Promise<void> {
    const batch = Array.from({ length: count }, () => ({
      id: (this.#lastId += 1n),
      debit: 1n,
      credit: 2n,
      amount: 1n,
    }));
    const statuses = await create(client, Operation.createTransfers, transferBytes(batch));
    expect(new Set(statuses)).toEqual(new Set([0xffff_ffff]));
  }

  archiver(options: ArchiverChoice = {}): TestArchiver {
    const { store = this.store, env, ...rest } = options;
    const hasty = store.map((flag) => (flag === commandPatience ? archiverPatience : flag));
    const archiver = new TestArchiver({
      engine: this.engine,
      ...rest,
      store: hasty,
      env: { ...(this.#world.readsFile && { [dataFileVariable]: this.engine.path }), ...env },
    });
    this.#world.onEnd(() => archiver.end('SIGKILL'));
    return archiver.start();
  }

  /** Runs a command on its archive; gives what it says. */
  async run<Said>(verb: string, ...args: readonly string[]): Promise<Said> {
    return JSON.parse(await mustRun(engineProgram, [verb, ...this.store, ...args])) as Said;
  }

  async backUp(id: string): Promise<number> {
    const { op } = await this.run<{ op: number }>(
      'backup',
      `--id=${id}`,
      `--status-address=127.0.0.1:${this.engine.statusPort}`,
      this.engine.path,
    );
    return op;
  }

  async windows(): Promise<readonly Window[]> {
    return (await this.run<{ readonly windows: readonly Window[] }>('recovery-windows')).windows;
  }

  /** Restores to a moment into a new folder, which then has the file and nothing else. */
  async restored(target: string, store = this.store): Promise<Restored> {
    const { folder, where } = await this.#place('restored');
    const said = await mustRun(engineProgram, ['restore-backup', ...store, target, ...where]);
    expect(readdirSync(folder)).toEqual(['replica.ledger']);
    // Older releases read it.
    const file = await diskStorage.open(join(folder, 'replica.ledger'), {
      writable: false,
      exclusive: false,
    });
    expect((await readSuperblock(file)).formatVersion).toBe(FORMAT_VERSION_OF_COPIES);
    await file.close();
    return { ...(JSON.parse(said) as Omit<Restored, 'folder'>), folder };
  }

  /** Why a restore is refused; nothing is left of it. */
  async refusal(target: string, store = this.store): Promise<string> {
    const { folder, where } = await this.#place('refused');
    const args = ['restore-backup', ...store, target, ...where];
    const { code, stderr } = await shell(engineProgram, args);
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
    return stderr;
  }

  async #place(name: string) {
    const folder = join(this.engine.folder, `${name}-${(this.#restores += 1)}`);
    await mustRun('mkdir', [folder]);
    const identity = ['--cluster=99', '--replica=0', '--replica-count=1'];
    return { folder, where: [...identity, join(folder, 'replica.ledger')] };
  }
}
