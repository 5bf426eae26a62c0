/**
 * Reads the last words of the newest sweeps of the bucket from their pods, for metrics: a sweep ends with its pod, and nobody could ask
 * it. Kubernetes keeps the pod of the last sweep that succeeded, and of the last one that failed.
 */
import type { Logger } from 'pino';
import { jsonOf } from '../../base/json.ts';
import { ApiError, type Kube } from '../../base/kube/kube.ts';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { replaceSeries, type MetricRegistry } from '../../base/metrics/metrics.ts';
import { resources, type Pod } from '../../domain/kinds.ts';
import { sweepName } from '../../domain/names.ts';
import { troubleOf } from '../ledgerdatabase/replica-pods.ts';
import { endOfWork } from '../manifests/work-container.ts';
import { sweepResultSchema, type SweepResult } from '../../domain/sweep-result.ts';

interface SweepWatchOptions {
  readonly kube: Kube;
  /** Namespace of the operator and of the sweep. */
  readonly namespace: string;
  readonly registry: MetricRegistry;
  readonly logger: Logger;
}

/** A sweep that ended. `result` is absent if it ended before it could tell one. */
export interface EndedSweep {
  readonly endedMs: number;
  readonly succeeded: boolean;
  readonly result?: SweepResult;
}

/** The newest sweep's pod, if it has not started. */
export interface WaitingSweep {
  readonly sinceMs: number;
  /** For example `Unschedulable` or `ImagePullBackOff`. */
  readonly reason: string;
}

const PERIOD_MS = 300_000;

export class SweepWatch {
  readonly #options: SweepWatchOptions;
  readonly #task: RepeatingTask;
  readonly #gauges;
  #ended: readonly EndedSweep[] = [];
  #waiting: WaitingSweep | undefined;

  constructor(options: SweepWatchOptions) {
    this.#options = options;
    const gauge = (name: string, help: string, more: readonly string[] = []) =>
      options.registry.labelledGauge(name, help, [], ['cronjob', ...more]);
    this.#gauges = {
      success: gauge(
        'ledgerhouse_backup_sweep_success_timestamp_seconds',
        'When the last sweep of the bucket ended that swept all archives.',
      ),
      failing: gauge(
        'ledgerhouse_backup_sweep_failing',
        '1 if the last sweep failed, or could not sweep an archive.',
      ),
      failed: gauge(
        'ledgerhouse_backup_sweep_failed_archives',
        'Archives that the last sweep could not sweep.',
      ),
      removed: gauge(
        'ledgerhouse_backup_sweep_removed_bytes',
        'Bytes of the objects that the last sweep deleted.',
      ),
      waiting: gauge(
        'ledgerhouse_backup_sweep_waiting_backups',
        'Removed backups whose objects are deleted later.',
      ),
      waitingSince: gauge(
        'ledgerhouse_backup_sweep_waiting_since_timestamp_seconds',
        'When the pod of the newest sweep was made, while it has not started.',
        ['reason'],
      ),
      locked: gauge(
        'ledgerhouse_backup_sweep_locked_backups',
        'Removed backups whose objects the store has locked.',
      ),
    };
    this.#task = new RepeatingTask({
      everyMs: PERIOD_MS,
      run: () => this.look(),
      onFailure: (error) => options.logger.error({ err: error }, 'sweeps could not be looked at'),
    });
  }

  start(): void {
    this.#task.start();
  }

  async stop(): Promise<void> {
    await this.#task.stop();
    this.#ended = [];
    this.#waiting = undefined;
  }

  async look(): Promise<void> {
    const { kube, namespace } = this.#options;
    const labelSelector = `app.kubernetes.io/name=${sweepName}`;
    try {
      const pods = await kube.list<Pod>(resources.pod, { namespace, labelSelector });
      this.#ended = endedSweeps(pods);
      this.#waiting = waitingSweep(pods);
    } catch (error) {
      // The chart of an earlier release gives an operator of single namespaces no such right.
      if (!(error instanceof ApiError && error.status === 403)) throw error;
    }
  }

  /** Series are there only once a sweep has ended, or while one waits. */
  measure(): void {
    const last = this.#ended.at(-1);
    const success = this.#ended.findLast(({ succeeded }) => succeeded);
    const { result } = last ?? {};
    const gauges = this.#gauges;
    // A gauge without a label would be 0 where nothing is known.
    const one = (value: number | undefined) =>
      value === undefined ? [] : [[{ cronjob: sweepName }, value] as const];
    replaceSeries(gauges.success, one(success && success.endedMs / 1_000));
    replaceSeries(gauges.failing, one(last && Number(!last.succeeded)));
    replaceSeries(gauges.failed, one(result?.failed));
    replaceSeries(gauges.removed, one(result?.removedBytes));
    replaceSeries(gauges.waiting, one(result?.waiting));
    replaceSeries(gauges.locked, one(result?.locked));
    const waits = this.#waiting;
    replaceSeries(
      gauges.waitingSince,
      waits === undefined
        ? []
        : [[{ cronjob: sweepName, reason: waits.reason }, waits.sinceMs / 1_000]],
    );
  }
}

/** The sweeps that ended, the last one at the end. */
export const endedSweeps = (pods: readonly Pod[]): readonly EndedSweep[] =>
  pods
    .flatMap((pod): EndedSweep[] => {
      const ended = endOfWork(pod);
      if (ended?.finishedAt === undefined) return [];
      const said = sweepResultSchema.safeParse(jsonOf(ended.message ?? ''));
      return [
        {
          endedMs: Date.parse(String(ended.finishedAt)),
          succeeded: ended.exitCode === 0,
          ...(said.success && { result: said.data }),
        },
      ];
    })
    .toSorted((one, other) => one.endedMs - other.endedMs);

/** A pod that finds no node, or whose image or credentials are not there, is `Pending`. Its Job deletes it after three hours, and the next is made. */
export function waitingSweep(pods: readonly Pod[]): WaitingSweep | undefined {
  const madeMs = ({ metadata }: Pod) => Date.parse(metadata.creationTimestamp ?? '');
  const newest = pods.toSorted((one, other) => madeMs(one) - madeMs(other)).at(-1);
  if (newest?.status?.phase !== 'Pending') return undefined;
  return { sinceMs: madeMs(newest), reason: troubleOf(newest)?.reason ?? 'Pending' };
}
