/** Prometheus metrics of change streams. Every series of the closed sets exists from the start. */
import type { MetricRegistry } from '../../base/metrics/metrics.ts';
import { changeStreamStates } from '../model/change-stream.ts';
import type { StreamFigures } from '../store/change-stream-work.ts';
import { sinkOutcomes, type Delivery } from './sinks/sink.ts';

export interface ChangeStreamMetrics {
  attempted(outcome: Delivery['outcome'], events: number, bytes: number): void;
  ledgerFailed(): void;
  figures(figures: StreamFigures): void;
}

/** `busy`: returns the number of streams on which this process works now. */
export function changeStreamMetrics(
  registry: MetricRegistry,
  prefix: string,
  busy: () => number,
): ChangeStreamMetrics {
  const attempts = registry.counter(
    `${prefix}change_stream_attempts_total`,
    'Attempts to deliver a page of change events to a sink.',
    sinkOutcomes.map((outcome) => ({ outcome })),
  );
  const events = registry.counter(
    `${prefix}change_stream_events_total`,
    'Change events that sinks confirmed, each as often as it was confirmed.',
  );
  const sent = registry.counter(
    `${prefix}change_stream_bytes_total`,
    'Bytes of the bodies of requests with change events, whatever the sinks answered.',
  );
  const ledger = registry.counter(
    `${prefix}change_stream_ledger_failures_total`,
    'Reads of change events that a ledger did not answer.',
  );
  const backlog = registry.gauge(
    `${prefix}change_stream_backlog_seconds`,
    'Time for which the oldest change stream has been due although it could be worked on.',
  );
  const lag = registry.gauge(
    `${prefix}change_stream_lag_seconds`,
    'Age of the oldest waiting change event of a stream without failures; NaN while it is known for none.',
  );
  const unknown = registry.gauge(
    `${prefix}change_streams_lag_unknown`,
    'Change streams whose lag is not known, because their ledgers were not read.',
  );
  const states = registry.labelledGauge(
    `${prefix}change_streams`,
    'Change streams by state.',
    changeStreamStates.map((state) => ({ state })),
  );
  registry.gauge(
    `${prefix}change_streams_busy`,
    'Change streams on which this process works.',
    busy,
  );
  return {
    attempted: (outcome, count, bytes) => {
      attempts.inc({ outcome });
      sent.inc(bytes);
      if (outcome === 'SUCCESS') events.inc(count);
    },
    ledgerFailed: () => ledger.inc(),
    figures: (figures) => {
      backlog.set(figures.backlogSeconds);
      lag.set(figures.lagSeconds ?? Number.NaN);
      unknown.set(figures.lagUnknown);
      for (const state of changeStreamStates) {
        states.set({ state }, figures.states.get(state) ?? 0);
      }
    },
  };
}
