/**
 * Watches whether each READY database can be reached, also without traffic, by a ping now and then. The number of pings at a time
 * is limited, each has a deadline, and a database with recent traffic is not pinged.
 */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import type { Timers } from '../../base/timers.ts';
import type { LedgerPlace } from './connection.ts';
import { newerHealth, unknownHealth, type GatewayHealth } from '../model/gateway-health.ts';
import type { GatewayMetrics } from './metrics.ts';
import { ping } from './ping.ts';

interface ProbesOptions {
  readonly timers: Timers;
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  /** Returns all databases to probe. Called every few seconds. */
  readonly list: () => Promise<readonly LedgerPlace[]>;
  /** Health of a database, as known from its traffic. */
  readonly traffic: (databaseId: string) => GatewayHealth;
  readonly ping?: typeof ping;
}

const roundMs = 5_000;
/** A database that answered is probed again after about this long; one that did not is probed in the next round. */
const everyMs = 30_000;
/** Enough for a thousand databases of one replica each: about thirty pings a second. */
const atOnceMax = 16;
const timeoutMs = 1_000;

interface Found {
  readonly health: GatewayHealth;
  readonly dueAtMs: number;
}

export class Probes {
  readonly #options: ProbesOptions;
  readonly #found = new Map<string, Found>();
  readonly #task: RepeatingTask;

  constructor(options: ProbesOptions) {
    const { list, logger, timers } = options;
    this.#options = options;
    this.#task = new RepeatingTask({
      everyMs: roundMs,
      timers,
      run: async (signal) => this.#askAll(await list(), signal),
      onFailure: (error) =>
        logger.warn({ err: error }, 'the list of databases to ping could not be read'),
    });
  }

  /** The newest known health, from traffic or from a probe. */
  health(databaseId: string): GatewayHealth {
    const traffic = this.#options.traffic(databaseId);
    return newerHealth(traffic, this.#found.get(databaseId)?.health ?? unknownHealth);
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #askAll(targets: readonly LedgerPlace[], signal: AbortSignal): Promise<void> {
    const ids = new Set(targets.map(({ databaseId }) => databaseId));
    for (const id of this.#found.keys()) if (!ids.has(id)) this.#found.delete(id);
    const due = targets.filter((target) => this.#isDue(target)).values();
    const asker = async () => {
      for (const target of due) {
        if (signal.aborted) return;
        await this.#ask(target, signal);
      }
    };
    await Promise.all(Array.from({ length: atOnceMax }, asker));
  }

  #isDue({ databaseId }: LedgerPlace): boolean {
    const { timers, traffic } = this.#options;
    const { status, checkedAt } = traffic(databaseId);
    const isBusy =
      status === 'CONNECTED' &&
      checkedAt !== null &&
      timers.wallMs() - Date.parse(checkedAt) < everyMs;
    return !isBusy && timers.nowMs() >= (this.#found.get(databaseId)?.dueAtMs ?? 0);
  }

  /** One replica that answers is enough: the gateway's client asks all of them. */
  async #ask({ databaseId, cluster, addresses }: LedgerPlace, signal: AbortSignal): Promise<void> {
    const { timers, metrics } = this.#options;
    let lastError: string | null = null;
    for (const address of addresses) {
      try {
        const asked = this.#options.ping ?? ping;
        const latencyMs = await asked(address, cluster, { timers, timeoutMs, signal });
        metrics.probes.inc({ result: 'answered' });
        this.#keep(databaseId, { status: 'CONNECTED', latencyMs, lastError: null });
        return;
      } catch (error) {
        if (signal.aborted) return;
        lastError ??= error instanceof Error ? error.message : 'no answer';
      }
    }
    metrics.probes.inc({ result: 'failed' });
    this.#keep(databaseId, { status: 'DISCONNECTED', latencyMs: null, lastError });
  }

  #keep(databaseId: string, health: Omit<GatewayHealth, 'checkedAt'>): void {
    const { timers } = this.#options;
    const checkedAt = new Date(timers.wallMs()).toISOString();
    // Spread the next probes, which all began together at the start of the process.
    const laterMs = health.status === 'CONNECTED' ? everyMs * (0.75 + Math.random() / 2) : 0;
    this.#found.set(databaseId, {
      health: { ...health, checkedAt },
      dueAtMs: timers.nowMs() + laterMs,
    });
  }
}
