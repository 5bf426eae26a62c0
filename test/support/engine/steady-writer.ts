/** An official client in a pod that writes one transfer after another, and how long it waited for answers meanwhile. */
import { startClientPod } from '../cluster/installation.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { OfficialClient } from './official-client.ts';
import type { Database } from '../operator/operator-world.ts';

const kind = { ledger: 1, code: 1 };

export class SteadyWriter {
  /** Transfers of 1 that were answered with `created`. */
  acknowledged = 0;
  #client: OfficialClient;
  #reconnected = Promise.withResolvers<void>();
  #reconnects = false;
  #longestMs = 0;
  #answeredAtMs = Date.now();
  #stopped = false;
  readonly #done: Promise<void>;

  private constructor(client: OfficialClient) {
    this.#client = client;
    this.#done = this.#run();
    // Told by whoever waits for it next.
    this.#done.catch(() => {});
  }

  static async start(
    cluster: TestCluster,
    image: string,
    database: Database,
  ): Promise<SteadyWriter> {
    const client = await clientOf(cluster, image, database);
    await client.ask('createAccounts', [
      { id: '1', ...kind },
      { id: '2', ...kind },
    ]);
    return new SteadyWriter(client);
  }

  /**
   * Does something once answers come, waits for the next one to a request sent after it, and gives the longest wait for one,
   * seconds.
   */
  async during(deed: () => Promise<unknown>): Promise<number> {
    await this.answered();
    this.#longestMs = 0;
    await deed();
    await this.answered();
    return Math.round(this.#longestMs / 10) / 100;
  }

  /** A write that is sent from now on is answered. */
  async answered(): Promise<void> {
    const goal = this.acknowledged + 2;
    while (this.acknowledged < goal) {
      await Promise.race([this.#done, new Promise((resolve) => setTimeout(resolve, 10))]);
      if (this.#stopped) throw new Error('the writer has stopped');
    }
  }

  /**
   * Goes on with a new session, at the addresses that the database has now, as an application does. What had no answer is sent again. The old
   * session may wait for ever for replicas that are gone.
   */
  async reconnect(cluster: TestCluster, { metadata, status }: Database): Promise<void> {
    const { name, namespace = 'default' } = metadata;
    this.#reconnects = true;
    this.#client.close();
    const pod = { namespace, name: `client-of-${name}` };
    const client = await OfficialClient.open(cluster, pod, status?.addresses);
    this.#client = client;
    this.#reconnects = false;
    this.#reconnected.resolve();
    this.#reconnected = Promise.withResolvers();
  }

  /** Ends it; what the ledger then says that account 2 has got. */
  async stop(): Promise<string | undefined> {
    this.#stopped = true;
    await this.#done;
    type Row = { readonly credits_posted: string };
    const [, row] = await this.#client.ask<Row[]>('lookupAccounts', ['1', '2']);
    this.#client.close();
    return row?.credits_posted;
  }

  /** Ends it while a request has no answer. */
  abandon(): void {
    this.#stopped = true;
    this.#client.close();
  }

  async #run(): Promise<void> {
    for (let id = 1; !this.#stopped; id += 1) {
      const transfer = { debit_account_id: '1', credit_account_id: '2', amount: '1', ...kind };
      await this.#write({ id: String(id), ...transfer });
      this.acknowledged += 1;
      const nowMs = Date.now();
      this.#longestMs = Math.max(this.#longestMs, nowMs - this.#answeredAtMs);
      this.#answeredAtMs = nowMs;
    }
  }

  async #write(transfer: { readonly id: string }): Promise<void> {
    for (let again = false; ; again = true) {
      const reconnected = this.#reconnected.promise.then((): readonly string[] => []);
      const client = this.#client;
      const asked = client
        .ask<readonly string[]>('createTransfers', [transfer])
        .catch((error: unknown) => {
          if (!this.#reconnects && client === this.#client) throw error;
          return reconnected;
        });
      const [status] = await Promise.race([asked, reconnected]);
      if (status === 'created' || (again && status === 'exists')) return;
      if (status !== undefined)
        throw new Error(`transfer ${transfer.id} was answered with ${status}`);
    }
  }
}

async function clientOf(
  cluster: TestCluster,
  image: string,
  database: Database,
): Promise<OfficialClient> {
  const name = await startClientPod(cluster, image, database);
  const { namespace = 'default' } = database.metadata;
  return OfficialClient.open(cluster, { namespace, name });
}
