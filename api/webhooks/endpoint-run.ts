/**
 * One run over an endpoint's due deliveries. The deliveries of a database go one after the other, in the order of its events;
 * databases go side by side. A failed delivery comes back later by its schedule; later ones do not wait for it.
 */
import { systemTimers } from '../../base/timers.ts';
import {
  dueDeliveries,
  type AttemptResult,
  type DueDelivery,
  type LeasedEndpoint,
  type RunOutcome,
} from '../store/webhook-work.ts';
import type { Sealer } from '../store/sealing.ts';
import type { Store } from '../store/store.ts';
import { webhookBody } from './body.ts';
import type { AttemptRecorder } from './recorder.ts';
import { attemptsMax, retryInMs, throttleMs } from './schedule.ts';
import { lanesMax, type Attempt, type WebhookSender } from './sender.ts';

/** Deliveries that a run holds in memory: for 256 runs 32 MiB, and one more event for each. */
const most = { rows: 64, bytes: 128 * 1024 };
/** A run begins no request after this time, so it ends long before its lease does. */
const runMaxMs = 10_000;

export interface RunParts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly sender: WebhookSender;
  readonly recorder: AttemptRecorder;
  /** Aborted when no further request may begin. */
  readonly stopping: AbortSignal;
  /** Aborted when requests under way must be cut off. */
  readonly abandoning: AbortSignal;
  readonly onAttempt: (delivery: DueDelivery, attempt: Attempt) => void;
}

export interface RunResult extends RunOutcome {
  /** The receiver says that it is gone. */
  readonly gone: boolean;
}

export async function runEndpoint(leased: LeasedEndpoint, parts: RunParts): Promise<RunResult> {
  const { id } = leased.endpoint;
  const secrets = openedSecrets(leased, parts.sealer);
  // After a failure that shows an overloaded receiver, a single delivery tries it.
  const rows = leased.failures > 0 ? 1 : most.rows;
  const due = await dueDeliveries(parts.store.read, id, { ...most, rows });
  const run = new EndpointRun(leased, secrets, parts);
  const lanes = [...Map.groupBy(due, ({ event }) => event.databaseId).values()];
  const pumps = Array.from({ length: Math.min(lanesMax, lanes.length) }, async () => {
    for (let lane = lanes.shift(); lane !== undefined; lane = lanes.shift()) await run.send(lane);
  });
  await Promise.all(pumps);
  return run.result;
}

/** The secrets that sign; none if no signing key opens the present one. The one before it is worth nothing alone. */
function openedSecrets(
  { endpoint: { id }, sealedSecrets }: LeasedEndpoint,
  sealer: Sealer,
): readonly string[] {
  const opened: string[] = [];
  for (const sealed of sealedSecrets) {
    try {
      opened.push(sealer.open(id, sealed));
    } catch {
      break;
    }
  }
  return opened;
}

/** Recorded as a failed attempt: the deliveries of the endpoint then show why nothing is sent. */
const unreadable = (): Attempt => ({
  outcome: 'SECRET_UNREADABLE',
  error:
    'Not sent: no signing key of this service opens the endpoint’s secret. Rotate the secret, and give the new one to the receiver.',
  requestHeaders: {},
  statusCode: null,
  responseExcerpt: null,
  retryAfterMs: undefined,
  startedAt: new Date(),
  durationMs: 0,
});

class EndpointRun {
  readonly #leased: LeasedEndpoint;
  readonly #secrets: readonly string[];
  readonly #parts: RunParts;
  readonly #endsAtMs = systemTimers.nowMs() + runMaxMs;
  #succeeded = false;
  #failed = false;
  #failures: number;
  #throttleMs: number | null = null;
  #gone = false;

  constructor(leased: LeasedEndpoint, secrets: readonly string[], parts: RunParts) {
    this.#leased = leased;
    this.#secrets = secrets;
    this.#parts = parts;
    this.#failures = leased.failures;
  }

  get result(): RunResult {
    return {
      succeeded: this.#succeeded,
      failed: this.#failed,
      failures: this.#failures,
      throttleMs: this.#throttleMs,
      gone: this.#gone,
    };
  }

  /** Sends the deliveries of one database. */
  async send(lane: readonly DueDelivery[]): Promise<void> {
    for (const delivery of lane) {
      if (this.#isOver()) return;
      await this.#sendOne(delivery);
    }
  }

  #isOver(): boolean {
    return (
      this.#parts.stopping.aborted ||
      this.#throttleMs !== null ||
      this.#gone ||
      systemTimers.nowMs() > this.#endsAtMs
    );
  }

  async #sendOne(delivery: DueDelivery): Promise<void> {
    const { sender, recorder, abandoning, onAttempt } = this.#parts;
    const { endpoint } = this.#leased;
    const { event } = delivery;
    const attempt =
      this.#secrets.length === 0
        ? unreadable()
        : await sender.send(
            {
              endpointId: endpoint.id,
              url: endpoint.url,
              secrets: this.#secrets,
              eventId: event.id,
              body: webhookBody(event),
            },
            abandoning,
          );
    // Cut off by our own shutdown: whether it arrived is unknown, so it is sent again.
    if (attempt.outcome !== 'SUCCESS' && abandoning.aborted) return;
    onAttempt(delivery, attempt);
    this.#judge(delivery, attempt);
    await recorder.record(resultOf(delivery, attempt));
  }

  #judge({ replayGeneration, manual }: DueDelivery, attempt: Attempt): void {
    if (attempt.outcome === 'SUCCESS') {
      this.#succeeded = true;
      this.#failures = 0;
      return;
    }
    if (replayGeneration === 0 && !manual) this.#failed = true;
    if (attempt.statusCode === 410) this.#gone = true;
    if (!cannotTakeMore(attempt)) {
      // The receiver answers: it need not be tried with a single delivery.
      this.#failures = 0;
      return;
    }
    // Several requests may fail at once, for one reason.
    if (this.#throttleMs === null) this.#failures += 1;
    const pauseMs = throttleMs(this.#failures, attempt.retryAfterMs);
    this.#throttleMs = Math.max(this.#throttleMs ?? 0, pauseMs);
  }
}

/** Statuses of an overloaded or missing receiver, or of a proxy before it. */
const overloaded = new Set([429, 502, 503, 504]);

const cannotTakeMore = ({ outcome, statusCode }: Attempt): boolean =>
  outcome === 'HTTP_ERROR'
    ? overloaded.has(statusCode ?? 0)
    : outcome !== 'SUCCESS' && outcome !== 'REDIRECT_REFUSED';

function resultOf(delivery: DueDelivery, attempt: Attempt): AttemptResult {
  const { retryAfterMs, ...record } = attempt;
  const made = delivery.schedulePosition + 1;
  const retry = made < attemptsMax ? retryInMs(made, retryAfterMs, Math.random) : undefined;
  const isLast = retry === undefined || attempt.statusCode === 410;
  const ended = attempt.outcome === 'SUCCESS' || isLast;
  return {
    ...record,
    delivery,
    trigger: delivery.manual ? 'MANUAL' : 'SCHEDULED',
    status: attempt.outcome === 'SUCCESS' ? 'SUCCEEDED' : isLast ? 'FAILED' : 'PENDING',
    retryInMs: ended ? null : (retry ?? null),
  };
}
