/**
 * `node operator/check-installation.ts --namespace NAME [--timeout-seconds N]`: makes a database, waits until it is ready,
 * and deletes it. `helm test` runs it. The exit status is 0 on success.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { checkInstallation } from './trial-database.ts';
import { loadClusterAccess } from '../base/kube/cluster-access.ts';
import { createKube } from '../base/kube/kube-http.ts';
import { systemTimers } from '../base/timers.ts';

const logger = pino({ base: null });
try {
  const { namespace, timeoutMs } = readArguments();
  const kube = createKube(await loadClusterAccess(), { userAgent: 'ledgerhouse-check' });
  const ending = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => ending.abort());
  const name = `helm-test-${randomBytes(3).toString('hex')}`;
  try {
    await checkInstallation({
      kube,
      namespace,
      name,
      timeoutMs,
      timers: systemTimers,
      report: (words) => logger.info({ database: name, words }, 'checking'),
      signal: ending.signal,
    });
  } finally {
    await kube.close();
  }
  logger.info('a database could be created here');
} catch (error) {
  logger.fatal({ err: error }, 'no database could be created here; see the reason');
  process.exitCode = 1;
}

function readArguments(): { namespace: string; timeoutMs: number } {
  const { values } = parseArgs({
    options: {
      namespace: { type: 'string' },
      'timeout-seconds': { type: 'string', default: '120' },
    },
  });
  const seconds = values['timeout-seconds'];
  if (values.namespace === undefined || !/^[1-9]\d{0,4}$/.test(seconds)) {
    throw new TypeError('usage: check-installation --namespace NAME [--timeout-seconds N]');
  }
  return { namespace: values.namespace, timeoutMs: Number(seconds) * 1_000 };
}
