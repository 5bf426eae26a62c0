/** Background work of billing. Every worker process does all of it, and each sees the results of the others. */
import type { Logger } from 'pino';
import type { MetricRegistry } from '../../base/metrics/metrics.ts';
import { sleep, systemTimers } from '../../base/timers.ts';
import type { DatabaseServices } from '../databases/database-service.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import { organizationsToLookAt } from '../store/billing-accounts.ts';
import { countStuckUsage } from '../store/billing-usage.ts';
import { storeTime } from '../store/time.ts';
import { forEachOf } from './for-each-of.ts';
import { closeAccounts } from './closing.ts';
import { meterDueHours } from './metering.ts';
import { billingMetrics, type BillingMetrics } from './billing-metrics.ts';
import { makeSavedCreates } from './saved-creates.ts';
import { sendUsage } from './sending.ts';
import { tellSpending } from './spend-limits.ts';
import type { StripeBilling } from './stripe-billing.ts';
import { suspendAndResume } from './suspending.ts';

interface BillingWorkOptions {
  readonly billing: StripeBilling;
  readonly services: DatabaseServices;
  readonly writer: DatabaseWriter;
  readonly logger: Logger;
  readonly registry: MetricRegistry;
  /** Prefix of the names of metrics. */
  readonly prefix: string;
}

interface Task {
  readonly everyMs: number;
  /** `wake` ends the wait before the next run. */
  readonly wakes?: true;
  readonly run: () => Promise<unknown>;
}

/** Maximum number of organizations whose standing one run checks because it was not checked for a day. */
const lookMax = 20;

export class BillingWork {
  readonly #tasks: Readonly<Record<string, Task>>;
  readonly #logger: Logger;
  readonly #metrics: BillingMetrics;
  readonly #stopping = new AbortController();
  readonly #runs: Promise<void>[] = [];
  #wake = new AbortController();

  constructor({ billing, services, writer, logger, registry, prefix }: BillingWorkOptions) {
    const { store } = services;
    const { currency } = billing.settings;
    this.#logger = logger;
    this.#tasks = {
      'saved creates': { everyMs: 5_000, wakes: true, run: () => makeSavedCreates(services) },
      suspensions: {
        everyMs: 10_000,
        wakes: true,
        run: () => suspendAndResume(store, writer),
      },
      metering: {
        everyMs: 60_000,
        run: async () => {
          await meterDueHours(store, this.#stopping.signal, (hour) =>
            logger.info({ hour }, 'metered'),
          );
          await tellSpending(store, currency, await storeTime(store.read));
        },
      },
      sending: {
        everyMs: 60_000,
        run: async () => {
          while (!this.#stopping.signal.aborted) {
            const { sent, refused } = await sendUsage(store, billing.stripe, currency);
            if (sent + refused === 0) break;
            this.#metrics.sent({ sent, refused });
            logger.info({ sent, refused }, 'sent use to the provider of payments');
          }
        },
      },
      'stuck use': {
        everyMs: 60 * 60_000,
        run: async () => {
          const stuck = await countStuckUsage(store.read);
          this.#metrics.stuck(stuck);
          if (stuck.refused + stuck.unconfirmed > 0) logger.error(stuck, 'use is not charged');
        },
      },
      closing: { everyMs: 10 * 60_000, run: () => closeAccounts(store, billing.stripe) },
      'daily look': {
        everyMs: 10 * 60_000,
        run: async () => {
          const ids = await organizationsToLookAt(store.read, lookMax);
          await forEachOf(ids.map((id) => () => billing.look(id)));
        },
      },
    };
    this.#metrics = billingMetrics(registry, prefix, Object.keys(this.#tasks));
    billing.onChange = () => this.wake();
  }

  start(): void {
    for (const [name, task] of Object.entries(this.#tasks)) {
      this.#runs.push(this.#repeat(name, task));
    }
  }

  /** Starts the tasks with `wakes` at once. */
  wake(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await Promise.all(this.#runs);
  }

  async #repeat(name: string, { everyMs, wakes, run }: Task): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const until = wakes === true ? this.#wake.signal : this.#stopping.signal;
      try {
        await run();
      } catch (error) {
        this.#metrics.failed(name);
        this.#logger.warn({ err: error, task: name }, 'work for billing failed');
      }
      if (this.#stopping.signal.aborted) return;
      await sleep(systemTimers, everyMs, until);
    }
  }
}
