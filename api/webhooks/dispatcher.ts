/**
 * Webhooks of all organizations: makes deliveries of new events, leases endpoints that are due, and runs their deliveries. Several
 * workers share the endpoints. A worker that dies loses nothing: its leases run out, and what it had sent without recording it is
 * sent again.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { LeasedWork } from '../../base/leased-work.ts';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import { systemAuthor } from '../model/actor.ts';
import { channels, type Listener } from '../store/listener.ts';
import type { Sealer } from '../store/sealing.ts';
import type { Store } from '../store/store.ts';
import {
  releaseEndpoint,
  renewEndpointLeases,
  takeEndpoints,
  webhookBacklogSeconds,
  type LeasedEndpoint,
} from '../store/webhook-work.ts';
import { disable, failingDaysMax, reasons } from './disabling.ts';
import { runEndpoint, type RunParts, type RunResult } from './endpoint-run.ts';
import { FanOuts } from './fan-outs.ts';
import { AttemptRecorder } from './recorder.ts';
import type { WebhookSender } from './sender.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

interface DispatcherOptions {
  readonly store: Store;
  readonly listener: Listener;
  readonly sealer: Sealer;
  readonly sender: WebhookSender;
  /** Whether the service sends mail. */
  readonly mails: boolean;
  /** Identity of the process. */
  readonly identity: string;
  readonly logger: Logger;
  readonly metrics: (busy: () => number) => WebhookMetrics;
  /** Lease of an endpoint: the time for which a dead worker keeps it. */
  readonly leaseMs?: number;
}

/** Endpoints at a time. Half of them are for those whose last delivery succeeded. */
const runsMax = 256;
/** Pause of an endpoint after a run that failed by our own fault. */
const runFailedMs = 60_000;
const leaseDefaultMs = 15_000;

export class WebhookDispatcher {
  readonly #options: DispatcherOptions;
  readonly #metrics: WebhookMetrics;
  readonly #recorder: AttemptRecorder;
  readonly #work: LeasedWork<LeasedEndpoint>;
  readonly #fanOuts: FanOuts;
  #unsubscribe: readonly (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#fanOuts = new FanOuts(options.store, options.logger);
    this.#work = this.#leasedWork(options.leaseMs ?? leaseDefaultMs);
    this.#metrics = options.metrics(() => this.#work.size);
    this.#recorder = new AttemptRecorder(options.store, options.logger);
  }

  #leasedWork(leaseMs: number): LeasedWork<LeasedEndpoint> {
    const { store, identity, logger } = this.#options;
    const owner = `${identity}/${randomUUID()}`;
    return new LeasedWork({
      runsMax,
      leaseMs,
      prepare: async () => {
        if (await this.#fanOuts.round()) this.#work.wake();
      },
      take: (limit, troubled) => takeEndpoints(store.read, { owner, leaseMs, limit, troubled }),
      onTakeFailure: (error, failures) =>
        logger.warn({ err: error, failures }, 'webhooks that are due could not be taken'),
      run: (leased) => this.#run(leased),
      onFailure: (error, { endpoint }) =>
        logger.warn(
          { err: error, endpointId: endpoint.id },
          'a webhook endpoint could not be given back',
        ),
      renew: (leased) => renewEndpointLeases(store.read, leased, leaseMs),
      onRenewFailure: (error) =>
        logger.warn({ err: error }, 'leases of webhook endpoints were not renewed'),
      measure: async () => this.#metrics.backlog(await webhookBacklogSeconds(store.read)),
      onMeasureFailure: (error) => logger.warn({ err: error }, 'webhooks could not be measured'),
    });
  }

  start(): void {
    const { listener } = this.#options;
    this.#unsubscribe = [
      listener.subscribe(channels.event, (uuid) => {
        this.#fanOuts.tell(uuid === undefined ? undefined : typeIdOfUuid('org', uuid));
        this.#work.wake();
      }),
      listener.subscribe(channels.webhook, () => this.#work.wake()),
    ];
    this.#work.start();
  }

  /** Requests that are cut off are sent again by another worker. */
  async stop(): Promise<void> {
    for (const end of this.#unsubscribe) end();
    await this.#work.stop();
    await this.#options.sender.close();
  }

  async #run(leased: LeasedEndpoint): Promise<void> {
    const { store, sealer, mails, logger } = this.#options;
    const result = await this.#resultOf(leased);
    const disabled = await store.change(systemAuthor('webhooks'), async (change) => {
      const failingDays = await releaseEndpoint(change, leased, result);
      const reason = reasonToDisable(result, failingDays);
      return (
        reason !== undefined && (await disable(change, leased.endpoint, reason, { sealer, mails }))
      );
    });
    if (!disabled) return;
    this.#metrics.disabled();
    logger.info({ endpointId: leased.endpoint.id }, 'a webhook endpoint was disabled');
  }

  /** A run that fails ends in a long pause of its endpoint, and disturbs no other. */
  async #resultOf(leased: LeasedEndpoint): Promise<RunResult> {
    try {
      return await runEndpoint(leased, this.#partsOfRun());
    } catch (error) {
      this.#options.logger.warn(
        { err: error, endpointId: leased.endpoint.id },
        'the webhooks of an endpoint could not be sent',
      );
      const failures = leased.failures + 1;
      return { succeeded: false, failed: false, gone: false, failures, throttleMs: runFailedMs };
    }
  }

  #partsOfRun(): RunParts {
    return {
      store: this.#options.store,
      sealer: this.#options.sealer,
      sender: this.#options.sender,
      recorder: this.#recorder,
      stopping: this.#work.stopping,
      abandoning: this.#work.abandoning,
      onAttempt: (delivery, attempt) => this.#metrics.attempted(delivery, attempt),
    };
  }
}

const reasonToDisable = ({ gone, failed }: RunResult, failingDays: number): string | undefined => {
  if (gone) return reasons.gone;
  return failed && failingDays >= failingDaysMax ? reasons.failing : undefined;
};
