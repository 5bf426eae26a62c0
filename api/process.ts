/** The life of one of our processes: its log, its configuration, and an orderly end when it gets a signal. */
import pino, { type Logger } from 'pino';
import { loadClusterAccess, type ClusterAccess } from '../base/kube/cluster-access.ts';
import { readConfig, redacted, type Config } from './config.ts';

export interface ProcessOptions {
  readonly config: Config;
  readonly kubeConfig: ClusterAccess;
  readonly logger: Logger;
}

/** A started process. */
interface Running {
  /** Ports it listens on, for the log. */
  readonly ports: Readonly<Record<string, number>>;
  /** Resolves when the schema is up to date; rejects when PostgreSQL holds another schema. */
  readonly storeReady: Promise<void>;
  /** Ends the work under way and closes everything. False: it outlasted `waitMs`. */
  stop(waitMs: number): Promise<boolean>;
}

/** The longest request may take 40 s. Kubernetes gives a pod 60 s, 5 s of which pass before the signal. */
const stopWaitMs = 45_000;

/** Log lines are written together, each within this time: a write for each line would cost too much. */
const logFlushMs = 100;

/** Runs until a signal ends it. `name`: the program's name, for the message when it does not start. */
export async function runProcess(
  name: string,
  start: (options: ProcessOptions) => Promise<Running>,
): Promise<void> {
  const lines = pino.destination({ fd: 1, sync: false, minLength: 4_096 });
  setInterval(() => lines.flush(), logFlushMs).unref();
  const logger = pino({ base: null }, lines);
  try {
    const config = readConfig();
    logger.level = config.logLevel;
    logger.info({ config: redacted(config) }, 'starting');
    const kubeConfig = await loadClusterAccess();
    const running = await start({ config, kubeConfig, logger });
    logger.info({ ...running.ports }, 'started');
    let stopping = false;
    const stop = async (signal: string) => {
      if (stopping) return;
      stopping = true;
      logger.info({ signal }, 'stopping');
      const inTime = await running.stop(stopWaitMs);
      logger.info({ inTime }, 'stopped');
      process.exit(0);
    };
    process.on('SIGTERM', () => void stop('SIGTERM'));
    process.on('SIGINT', () => void stop('SIGINT'));
    await running.storeReady;
  } catch (error) {
    logger.fatal({ err: error }, `${name} did not start`);
    process.exit(1);
  }
}
