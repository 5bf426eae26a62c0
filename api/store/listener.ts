/**
 * Notifications of PostgreSQL, on a connection of their own. A notification is a hint that saves waiting, never the only source:
 * while the connection is down, and behind a pooler without LISTEN, all listeners still poll.
 */
import { sql } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { backoffMs } from '../../base/backoff.ts';
import { sleep, systemTimers } from '../../base/timers.ts';
import { clientConfig, type PoolOptions } from './pool.ts';
import type { Reader } from './tables.ts';

export const channels = {
  /** Payload: UUID of a job that was written. */
  job: 'ledgerhouse_job',
  /** A job may be taken. */
  jobDue: 'ledgerhouse_job_due',
  /** Payload: UUID of the organization. */
  event: 'ledgerhouse_event',
  /** A webhook is due that no event announces: a test, a replay, or an endpoint that was enabled. */
  webhook: 'ledgerhouse_webhook',
  /** An organization's standing with the provider of payments may have changed. */
  billing: 'ledgerhouse_billing',
} as const;
type Channel = (typeof channels)[keyof typeof channels];

/** Notifies all processes that listen. */
export async function notify(db: Reader, channel: Channel): Promise<void> {
  await sql`SELECT pg_notify(${channel}, '')`.execute(db);
}

/** `payload` is `undefined` when notifications may have been missed. Must not throw. */
type Hear = (payload: string | undefined) => void;

const reconnect = { baseMs: 500, maxMs: 10_000 };
/** Interval between checks that the connection still answers. */
const probeMs = 20_000;

export class Listener {
  readonly #config: pg.ClientConfig;
  readonly #logger: Logger;
  readonly #subscribers = new Map<Channel, Set<Hear>>(
    Object.values(channels).map((channel) => [channel, new Set()]),
  );
  readonly #stopping = new AbortController();
  #connected = false;
  #run: Promise<void> | undefined;

  constructor(pool: PoolOptions, logger: Logger) {
    this.#config = clientConfig({ ...pool, applicationName: `${pool.applicationName} listener` });
    this.#logger = logger;
  }

  start(): void {
    this.#run ??= this.#listen();
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** Subscribes to a channel; the returned function ends the subscription. */
  subscribe(channel: Channel, hear: Hear): () => void {
    const subscribers = this.#subscribers.get(channel);
    subscribers?.add(hear);
    return () => subscribers?.delete(hear);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#run;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted;) {
      const began = systemTimers.nowMs();
      try {
        await this.#listenOnce();
      } catch (error) {
        this.#logger.debug({ err: error }, 'listening to the store ended');
      }
      this.#connected = false;
      failures = systemTimers.nowMs() - began > reconnect.maxMs ? 1 : failures + 1;
      await sleep(systemTimers, backoffMs(failures, reconnect, Math.random), signal);
    }
  }

  /** Listens until the connection ends or the listener stops. */
  async #listenOnce(): Promise<void> {
    const client = new pg.Client(this.#config);
    const ended = new AbortController();
    const end = () => ended.abort();
    client.on('error', end);
    client.on('end', end);
    client.on('notification', ({ channel, payload }) => this.#tell(channel, payload));
    const stop = AbortSignal.any([ended.signal, this.#stopping.signal]);
    try {
      await client.connect();
      for (const channel of Object.values(channels)) await client.query(`LISTEN ${channel}`);
      this.#connected = true;
      // Notifications from before this moment may have been missed.
      for (const channel of Object.values(channels)) this.#tell(channel, undefined);
      while (!stop.aborted) {
        await sleep(systemTimers, probeMs, stop);
        if (!stop.aborted) await client.query('SELECT 1');
      }
    } finally {
      await client.end();
    }
  }

  #tell(channel: string, payload: string | undefined): void {
    for (const hear of this.#subscribers.get(channel as Channel) ?? []) hear(payload);
  }
}
