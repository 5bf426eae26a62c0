/** Entry point of an API process. Several processes run at once, and all of them answer requests. */
import { KubeConfig } from '@kubernetes/client-node';
import pino from 'pino';
import { startApi } from './api.ts';
import { readConfig, redacted } from './config.ts';

/** The longest request may take 40 s. Kubernetes gives a pod 60 s, 5 s of which pass before the signal. */
const stopWaitMs = 45_000;

/** Log lines are written together, each within this time: a write for each line would cost too much. */
const logFlushMs = 100;

const lines = pino.destination({ fd: 1, sync: false, minLength: 4_096 });
setInterval(() => lines.flush(), logFlushMs).unref();
const logger = pino({ base: null }, lines);
try {
  const config = readConfig();
  logger.level = config.logLevel;
  logger.info({ config: redacted(config) }, 'starting');
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  const api = await startApi({ config, kubeConfig, logger });
  logger.info({ port: api.port, healthPort: api.healthPort }, 'started');
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    const inTime = await api.stop(stopWaitMs);
    logger.info({ inTime }, 'stopped');
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  await api.storeReady;
} catch (error) {
  logger.fatal({ err: error }, 'the API did not start');
  process.exit(1);
}
