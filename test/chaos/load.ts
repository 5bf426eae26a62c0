/** The clients of a run: some of ours, which give up at times, and an official one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client } from 'tigerbeetle-node';
import { encodeMultiBatch } from '../../engine/wire/multi-batch.ts';
import { Operation, shapeOf } from '../../engine/wire/operations.ts';
import { concatenate, encodeRecord, transferFields } from '../support/engine/ledger/records.ts';
import { seeded } from '../support/prng.ts';
import { ChaosClient } from './chaos-client.ts';
import type { History } from './history.ts';
import { Requests, type Request } from './requests.ts';
import { transferOf } from '../replication/writer.ts';

interface LoadOptions {
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  readonly history: History;
  readonly seed: number;
  readonly clients: number;
}

/** No fault lasts this long: a client that waits longer will never be answered. */
const PATIENCE_MS = 180_000;
/** Number of clients that mostly write; the others nearly always read. */
const WRITERS = 4;
const SHORT_PATIENCE = 0.02;
const CREATED = 0xffff_ffff;

export class Load {
  readonly #options: LoadOptions;
  readonly #open = new Set<ChaosClient>();
  readonly #running: Promise<void>[] = [];
  #official: Client | undefined;
  #stopping = false;
  /** Whether clients send requests of a megabyte as fast as possible. */
  bulk = false;
  bulkSent = 0;
  replayed = 0;
  official = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Starts the clients. Resolves when the accounts exist. */
  async start(): Promise<void> {
    const { seed, clients, addresses } = this.#options;
    const random = seeded(seed ^ 0x5eed);
    const first = await this.#connected(random);
    if (first === undefined || !(await this.#write(first, 'setup', Requests.accounts())))
      throw new Error(`no answer within ${PATIENCE_MS / 1000} s of the start`);
    first.close();
    for (let i = 0; i < clients; i += 1) this.#running.push(this.#client(i));
    const replicas = addresses.map(({ host, port }) => `${host}:${port}`);
    this.#official = createClient({ cluster_id: 0n, replica_addresses: replicas });
    this.#running.push(this.#officialClient(this.#official));
  }

  /** Makes every client send answered requests again. */
  replayAll(): void {
    for (const client of this.#open) for (let i = 0; i < 8; i += 1) client.replay();
  }

  /** Stops the clients. Resolves when all were answered or have waited too long. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const all = Promise.all(this.#running).then(() => true);
    const isDone = await Promise.race([all, sleep(PATIENCE_MS + 5000, false)]);
    if (!isDone) this.#options.history.wrong.push('the official client is not answered any more');
    this.#official?.destroy();
  }

  /** A client with its own session for the reads at the end of a run. */
  async reader(): Promise<ChaosClient> {
    const client = await this.#connected(Math.random);
    if (client === undefined) throw new Error('no answer to who wants to read');
    return client;
  }

  async #connected(random: () => number): Promise<ChaosClient | undefined> {
    const { addresses, history } = this.#options;
    const client = new ChaosClient({
      addresses,
      random,
      onWrong: (what) => history.wrong.push(what),
    });
    const write = history.begin('register', Operation.register, () => new Uint8Array(0));
    const sentAtMs = performance.now();
    const told = await client.register(PATIENCE_MS);
    if (told === undefined) return undefined;
    history.acknowledged(write, told, sentAtMs);
    return client;
  }

  async #client(index: number): Promise<void> {
    const { seed, history } = this.#options;
    const random = seeded(seed + 7919 * (index + 1));
    const requests = new Requests(index, random);
    const who = `client ${index}`;
    while (!this.#stopping) {
      const client = await this.#connected(random);
      if (client === undefined) {
        history.wrong.push(`${who} was not answered for ${PATIENCE_MS / 1000} s`);
        continue;
      }
      this.#open.add(client);
      let goesOn = true;
      while (!this.#stopping && goesOn) {
        if (!this.bulk) await sleep(2 + random() * 30);
        // A writer hears of a new leader with the next answer; a client that only reads may go on with the old one.
        const isWrite = random() < (index < WRITERS ? 0.6 : 0.03);
        if (this.bulk && index < WRITERS) goesOn = await this.#bulk(client, who, requests);
        else if (isWrite) goesOn = await this.#write(client, who, requests.write(), random);
        else goesOn = await this.#read(client, who, requests.read());
        if (random() < 0.02) client.replay();
      }
      this.replayed += client.replayed;
      this.#open.delete(client);
      client.close();
    }
  }

  async #bulk(client: ChaosClient, who: string, requests: Requests): Promise<boolean> {
    this.bulkSent += 1;
    return this.#write(client, who, requests.bulk());
  }

  /** Sends a write. Resolves with false if the client gave up. */
  async #write(
    client: ChaosClient,
    who: string,
    { operation, body, acknowledged }: Request,
    random?: () => number,
  ): Promise<boolean> {
    const { history } = this.#options;
    const write = history.begin(who, operation, body);
    const isShort = random !== undefined && random() < SHORT_PATIENCE;
    const patienceMs = isShort ? 1 + random() * 300 : PATIENCE_MS;
    const sentAtMs = performance.now();
    const told = await client.request(operation, body(), patienceMs);
    if (told !== undefined) {
      history.acknowledged(write, told, sentAtMs);
      acknowledged?.();
    } else if (!isShort) history.wrong.push(`${who} was not answered for ${PATIENCE_MS / 1000} s`);
    return told !== undefined;
  }

  async #read(client: ChaosClient, who: string, request: Request): Promise<boolean> {
    const { history } = this.#options;
    const { operation } = request;
    const [floor, body] = [history.floor, request.body()];
    const sentAtMs = performance.now();
    const told = await client.request(operation, body, PATIENCE_MS);
    if (told === undefined)
      history.wrong.push(`${who} was not answered for ${PATIENCE_MS / 1000} s`);
    else history.read({ who, operation, body, floor, op: told.op, result: told.body }, sentAtMs);
    return told !== undefined;
  }

  /** Creates one transfer after another and looks each up; none may be missing. */
  async #officialClient(client: Client): Promise<void> {
    const { history } = this.#options;
    for (let n = 1n; !this.#stopping; n += 1n) {
      const transfer = transferOf((1n << 100n) | n);
      const row = encodeRecord(transferFields, 128, asBigints(transfer));
      const body = encodeMultiBatch([row], 128);
      const write = history.begin('the official client', Operation.createTransfers, () => body);
      const sentAtMs = performance.now();
      const [result] = await client.createTransfers([transfer]);
      if (Number(result?.status) !== CREATED || result === undefined) {
        history.wrong.push(`the official client's new transfer ${n} has status ${result?.status}`);
        return;
      }
      const { timestamp } = result;
      history.acknowledged(write, { timestamp, body: resultBody(timestamp) }, sentAtMs);
      this.official += 1;
      const [found] = await client.lookupTransfers([transfer.id]);
      if (found?.timestamp !== timestamp)
        history.wrong.push(`the official client's transfer ${n} was acknowledged and is not found`);
      await sleep(20);
    }
  }
}

/** The body of a reply that one transfer was created. */
function resultBody(timestamp: bigint): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, timestamp, true);
  view.setUint32(8, CREATED, true);
  const size = shapeOf(Operation.createTransfers)?.resultSize ?? 16;
  return encodeMultiBatch([concatenate([bytes])], size);
}

const asBigints = (record: Readonly<Record<string, bigint | number>>): Record<string, bigint> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, BigInt(value)]));
