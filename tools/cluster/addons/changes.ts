/** Tells by watches whether objects have changed, so that nobody asks the API server while nothing happens. */
import pino from 'pino';
import type { KubeObject, Resource } from '../../../base/kube/kube.ts';
import type { KubeSource } from '../../../base/kube/kube-source.ts';
import { Reflector } from '../../../base/kube/reflector.ts';
import { watchMetrics } from '../../../base/metrics/kube-metrics.ts';
import { MetricRegistry } from '../../../base/metrics/metrics.ts';

export class Changes {
  #hasChanged = true;
  readonly #reflectors: readonly Reflector<KubeObject>[];

  constructor(source: KubeSource, kinds: readonly Resource[]) {
    const metrics = watchMetrics(
      new MetricRegistry(),
      'addons_',
      kinds.map(({ plural }) => plural),
    );
    const logger = pino({ level: 'silent' });
    const onChange = () => this.again();
    this.#reflectors = kinds.map(
      (resource) => new Reflector({ source, resource, metrics, logger, onChange }),
    );
    for (const reflector of this.#reflectors) reflector.start();
  }

  /** Whether something has changed since it was asked last. True at first: nothing has been looked at yet. */
  take(): boolean {
    const changed = this.#hasChanged;
    this.#hasChanged = false;
    return changed;
  }

  /** The next `take` is true: what was to be done after the last one has failed. */
  again(): void {
    this.#hasChanged = true;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
  }
}
