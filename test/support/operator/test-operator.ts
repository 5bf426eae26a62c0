/** An operator within the test's process: the real one, with a pace and a death that the test decides. */
import pino from 'pino';
import { Operator, reconciledKinds, watchedResources } from '../../../operator/operator.ts';
import type { AskForCheckpoint } from '../../../operator/ledgerbackup/source.ts';
import type { BackupStore } from '../../../operator/store/backup-store.ts';
import type { StatusFetch } from '../../../domain/fetch-status.ts';
import type { ClusterAccess } from '../../../base/kube/cluster-access.ts';
import { createKube, type RequestRecord } from '../../../base/kube/kube-http.ts';
import type { Kube } from '../../../base/kube/kube.ts';
import type { KubeSource } from '../../../base/kube/kube-source.ts';
import { createOperatorMetrics } from '../../../operator/runtime/operator-metrics.ts';
import { eventually } from '../shell.ts';

export interface TestOperatorOptions {
  readonly kubeConfig: ClusterAccess;
  readonly onRequest?: (record: RequestRecord) => void;
  readonly fetchStatus?: StatusFetch;
  readonly askForCheckpoint?: AskForCheckpoint;
  readonly store?: BackupStore;
  /** Wraps what writes: to count, or to die at a certain write. */
  readonly wrap?: (kube: Kube) => Kube;
  readonly capacityPeriodMs?: number;
  readonly watchSilenceMaxMs?: number;
  readonly nowMs?: () => number;
  readonly logLevel?: string;
  /** The objects that it sees: those of one namespace and cluster-scoped ones. */
  readonly namespace?: string;
  /** The namespaces that it is told to look after. */
  readonly namespaces?: readonly string[];
}

export interface TestOperator {
  readonly operator: Operator;
  stop(): Promise<void>;
}

export async function startTestOperator(options: TestOperatorOptions): Promise<TestOperator> {
  const wrap = options.wrap ?? ((kube: Kube) => kube);
  const kube = createKube(options.kubeConfig, {
    requestsPerSecond: 500,
    requestsBurst: 500,
    ...(options.onRequest === undefined ? {} : { onRequest: options.onRequest }),
  });
  const logger = pino(
    { level: options.logLevel ?? process.env['OPERATOR_LOG_LEVEL'] ?? 'silent', base: null },
    pino.destination(2),
  );
  const operator = new Operator({
    source: options.namespace === undefined ? kube : within(options.namespace, kube),
    kube,
    kubeFor: (signal) => wrap(kube.withSignal(signal)),
    plan: {
      operatorNamespace: 'ledgerhouse-system',
      namespaced: options.namespaces !== undefined,
      ...(options.store === undefined ? {} : { store: options.store }),
    },
    instance: 'test',
    ...(options.namespaces === undefined ? {} : { namespaces: options.namespaces }),
    concurrency: 10,
    logger,
    metrics: createOperatorMetrics({ kinds: reconciledKinds, watched: watchedResources }),
    onLostLeadership: () => {},
    ...(options.fetchStatus === undefined ? {} : { fetchStatus: options.fetchStatus }),
    ...(options.askForCheckpoint === undefined
      ? {}
      : { askForCheckpoint: options.askForCheckpoint }),
    ...(options.capacityPeriodMs === undefined
      ? {}
      : { capacityPeriodMs: options.capacityPeriodMs }),
    ...(options.watchSilenceMaxMs === undefined
      ? {}
      : { watchSilenceMaxMs: options.watchSilenceMaxMs }),
    ...(options.nowMs === undefined ? {} : { nowMs: options.nowMs }),
  });
  operator.start();
  await operator.lead();
  return {
    operator,
    async stop() {
      await operator.stop(5_000);
      await kube.close();
    },
  };
}

/**
 * Until it has asked the API server for nothing, for so long: what was begun before may take its time to end, but an operator that
 * goes on asking never comes to rest. `requests`: those that it makes.
 */
export async function untilAtRest(requests: RequestRecord[], forMs: number): Promise<void> {
  await eventually('the operator asks for nothing', async () => {
    requests.length = 0;
    await new Promise((resolve) => setTimeout(resolve, forMs));
    const made = requests.filter(({ verb }) => verb !== 'watch');
    if (made.length > 0) throw new Error(JSON.stringify(made));
    return true;
  });
}

/** Gives each operator a name of its own, so that many run on one control plane. */
const within = (namespace: string, source: KubeSource): KubeSource => ({
  listPage: (resource, options) =>
    source.listPage(resource, resource.namespaced ? { ...options, namespace } : options),
  watch: (resource, options) =>
    source.watch(resource, resource.namespaced ? { ...options, namespace } : options),
});
