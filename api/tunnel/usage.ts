/**
 * Sums up what each credential does through tunnels, for the audit log: one event a minute for each credential and database,
 * with the number of requests of each operation. No event contains payloads.
 */
import type { Logger } from 'pino';
import type { Author } from '../model/actor.ts';
import type { Store } from '../store/store.ts';
import type { TunnelOperation } from './check-message.ts';

export interface UsageOf {
  readonly organizationId: string;
  readonly databaseId: string;
  readonly databaseName: string;
  readonly credentialId: string;
  readonly author: Author;
}

interface Sum {
  readonly of: UsageOf;
  readonly fromMs: number;
  opened: number;
  refused: number;
  readonly operations: Map<TunnelOperation, number>;
}

const writeEveryMs = 60_000;
/** Maximum number of sums that wait to be written. Beyond it the oldest is dropped, and this is logged. */
const sumsMax = 10_000;

export class TunnelUsage {
  readonly #change: Store['change'];
  readonly #logger: Logger;
  readonly #sums = new Map<string, Sum>();
  readonly #timer: NodeJS.Timeout;

  constructor(change: Store['change'], logger: Logger) {
    this.#change = change;
    this.#logger = logger;
    this.#timer = setInterval(() => void this.write(), writeEveryMs);
    this.#timer.unref();
  }

  opened(of: UsageOf): void {
    this.#sumOf(of).opened += 1;
  }

  refused(of: UsageOf): void {
    this.#sumOf(of).refused += 1;
  }

  requested(of: UsageOf, operation: TunnelOperation): void {
    const { operations } = this.#sumOf(of);
    operations.set(operation, (operations.get(operation) ?? 0) + 1);
  }

  /** Writes all sums. A sum that cannot be written is kept for the next time. */
  async write(): Promise<void> {
    for (const [name, sum] of this.#sums) {
      this.#sums.delete(name);
      try {
        await this.#writeOne(sum);
      } catch (error) {
        this.#logger.warn({ err: error }, 'the use of a tunnel could not be written yet');
        this.#keep(name, sum);
      }
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  async #writeOne({ of, fromMs, opened, refused, operations }: Sum): Promise<void> {
    await this.#change(of.author, async (change) => {
      change.emit({
        organizationId: of.organizationId,
        type: 'database.connected',
        subject: { type: 'database', id: of.databaseId, display: of.databaseName },
        databaseId: of.databaseId,
        data: {
          from: new Date(fromMs).toISOString(),
          until: new Date().toISOString(),
          opened,
          refused,
          operations: Object.fromEntries(operations),
        },
      });
    });
  }

  #keep(name: string, sum: Sum): void {
    const newer = this.#sums.get(name);
    if (newer !== undefined) {
      sum.opened += newer.opened;
      sum.refused += newer.refused;
      for (const [operation, count] of newer.operations) {
        sum.operations.set(operation, (sum.operations.get(operation) ?? 0) + count);
      }
    }
    this.#sums.set(name, sum);
  }

  #sumOf(of: UsageOf): Sum {
    const name = `${of.credentialId} ${of.databaseId}`;
    const known = this.#sums.get(name);
    if (known !== undefined) return known;
    const [oldest] = this.#sums.keys();
    if (this.#sums.size >= sumsMax && oldest !== undefined) {
      this.#sums.delete(oldest);
      this.#logger.error('the use of a tunnel was not written: too many sums wait');
    }
    const sum: Sum = { of, fromMs: Date.now(), opened: 0, refused: 0, operations: new Map() };
    this.#sums.set(name, sum);
    return sum;
  }
}
