/**
 * `node operator/make-secrets.ts --namespace NAME [--signing-key SECRET] [--bootstrap-token SECRET] [--postgres SECRET] [--s3
 * SECRET]`: creates the missing Secrets of these. The chart runs it before each installation and upgrade. Exits with 0 when
 * all exist.
 */
import { parseArgs } from 'node:util';
import pino from 'pino';
import { loadClusterAccess } from '../base/kube/cluster-access.ts';
import { createKube } from '../base/kube/kube-http.ts';
import { makeMissingSecrets, secretKinds, type SecretWanted } from './installation-secrets.ts';

const logger = pino({ base: null });
try {
  const { namespace, wanted } = readArguments();
  const kube = createKube(await loadClusterAccess(), { userAgent: 'ledgerhouse-secrets' });
  try {
    const report = (secret: string, words: string) => logger.info({ secret }, words);
    await makeMissingSecrets({ kube, namespace, wanted, report });
  } finally {
    await kube.close();
  }
} catch (error) {
  logger.fatal({ err: error }, 'not all Secrets could be made');
  process.exitCode = 1;
}

function readArguments(): { namespace: string; wanted: SecretWanted[] } {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      namespace: text,
      'signing-key': text,
      'bootstrap-token': text,
      postgres: text,
      s3: text,
    },
  });
  if (values.namespace === undefined) {
    throw new TypeError('usage: make-secrets --namespace NAME [--KIND SECRET]…');
  }
  const wanted = secretKinds.flatMap((kind) => {
    const name = values[kind];
    return name === undefined ? [] : [{ kind, name }];
  });
  return { namespace: values.namespace, wanted };
}
