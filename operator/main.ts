/** The operator's process. Several run; the one that holds the lease works. */
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { operatorName } from '../domain/names.ts';
import { readConfig, type Config } from './config.ts';
import type { PlanOptions } from './ledgerdatabase/subject-of.ts';
import { Operator, reconciledKinds, watchedResources } from './operator.ts';
import { startHealthServer } from '../base/health-server.ts';
import { loadClusterAccess, type ClusterAccess } from '../base/kube/cluster-access.ts';
import { createKube } from '../base/kube/kube-http.ts';
import { createTransport } from '../base/kube/transport.ts';
import { readCredentials } from './store/backup-store.ts';
import { isOpenShift } from './openshift.ts';
import { LeaderElection } from './runtime/leader.ts';
import { createOperatorMetrics, operatorPrefix } from './runtime/operator-metrics.ts';
import { measureProcess } from '../base/metrics/process-metrics.ts';

/** Time for work in flight when the process must end; Kubernetes gives the process 30 s. */
const stopWaitMs = 15_000;

const logger = pino({ base: null });
try {
  const config = readConfig();
  logger.level = config.logLevel;
  await run(config);
} catch (error) {
  logger.fatal({ err: error }, 'the operator did not start');
  process.exit(1);
}

async function run(config: Config): Promise<void> {
  logger.info({ config }, 'starting');
  const access = await loadClusterAccess();
  const metrics = createOperatorMetrics({ kinds: reconciledKinds, watched: watchedResources });
  measureProcess(metrics.registry, operatorPrefix);
  const onRequest = metrics.requestMade;
  // A separate client, so that work never delays the lease, and a lost lease never prevents its release.
  const leaseKube = createKube(access, { onRequest });
  const kube = createKube(access, {
    onRequest,
    mayWrite: () => election.isLeader(),
    requestsPerSecond: config.requestsPerSecond,
    requestsBurst: 2 * config.requestsPerSecond,
  });
  const operator = new Operator({
    source: kube,
    kube,
    kubeFor: (signal) => kube.withSignal(signal),
    plan: await planOptionsOf(config, access),
    namespaces: config.watchNamespaces,
    instance: config.identity,
    concurrency: config.concurrency,
    logger,
    metrics,
    onLostLeadership: () => end('a write was refused: the lease is lost'),
  });
  const election: LeaderElection = new LeaderElection({
    kube: leaseKube,
    namespace: config.namespace,
    name: operatorName,
    identity: `${config.identity}-${randomBytes(4).toString('hex')}`,
    logger,
    onStarted: () => {
      logger.info('leading');
      void operator.lead();
    },
    // Writes in flight are fenced. The process ends, because a new one starts without stale knowledge.
    onLost: () => end('the lease is lost'),
  });
  metrics.gauge('leader', '1 while this process leads.', () => (election.isLeader() ? 1 : 0));
  metrics.gauge('synced', '1 once the caches are filled.', () => (operator.synced ? 1 : 0));
  const health = await startHealthServer({
    ...config.listen,
    live: () => operator.stuck(),
    ready: () => (operator.synced ? [] : ['the caches are not filled yet']),
    metrics: () => {
      operator.measure();
      return metrics.registry.text();
    },
  });
  operator.start();
  // A process with incomplete caches does not lead: another one, whose caches are filled, may.
  void operator.whenSynced().then(() => election.start());
  logger.info({ port: health.port }, 'started');

  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    const inTime = await operator.stop(stopWaitMs);
    await election.stop();
    await health.stop();
    logger.info({ inTime }, 'stopped');
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
}

async function planOptionsOf(config: Config, access: ClusterAccess): Promise<PlanOptions> {
  const { store } = config;
  return {
    operatorNamespace: config.namespace,
    namespaced: config.watchNamespaces.length > 0,
    tigerBeetleSeccomp: config.tigerbeetleSeccomp === 'localhost' ? 'Localhost' : 'Unconfined',
    assignsUsers: await usersAreAssigned(config, access),
    ...(store === undefined ? {} : { store: { ...store, ...readCredentials(store.credentials) } }),
  };
}

async function usersAreAssigned({ openshift }: Config, access: ClusterAccess): Promise<boolean> {
  if (openshift !== 'detect') return openshift === 'yes';
  const transport = createTransport(access);
  try {
    return await isOpenShift(transport);
  } finally {
    await transport.close();
  }
}

function end(why: string): void {
  logger.fatal({ why }, 'ending');
  process.exit(1);
}
