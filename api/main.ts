/** The API's process: one of several, all of which answer. */
import { KubeConfig } from '@kubernetes/client-node';
import pino from 'pino';
import { startApi } from './api.ts';
import { readConfig, redacted } from './config.ts';

/** The longest request may take 40 s; Kubernetes gives 60 s, of which 5 go before the signal. */
const stopWaitMs = 45_000;

/** Lines go out together, each within this time: one write for each costs more than what it says. */
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
