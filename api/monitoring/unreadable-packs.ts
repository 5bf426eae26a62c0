/** Tells packs of figures that cannot be read: each once in the log, by name, and in a metric. */
import type { Logger } from 'pino';
import type { Counter, MetricRegistry } from '../../base/metrics/metrics.ts';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { OnUnreadable } from '../store/metric-packs.ts';

/** Maximum number of packs that one process tells. */
const toldMax = 1_000;

export class UnreadablePacks {
  readonly #logger: Logger;
  readonly #count: Counter;
  readonly #told = new Set<string>();

  /** `prefix`: of the name of the metric. */
  constructor(logger: Logger, registry: MetricRegistry, prefix: string) {
    this.#logger = logger;
    this.#count = registry.counter(
      `${prefix}unreadable_packs_total`,
      'Packs of figures that could not be read; their ten minutes are a gap of one source.',
    );
  }

  readonly tell: OnUnreadable = ({ databaseId, source, at, error }) => {
    const name = `${databaseId} ${source} ${at.toISOString()}`;
    if (this.#told.has(name) || this.#told.size >= toldMax) return;
    this.#told.add(name);
    this.#count.inc();
    this.#logger.error(
      { err: error, databaseId: typeIdOfUuid('db', databaseId), source, at },
      'a pack of figures cannot be read; its ten minutes are a gap',
    );
  };
}
