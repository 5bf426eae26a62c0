import pino from 'pino';
import { programVersion } from '../../base/program-version.ts';
import { Engine } from '../server/engine.ts';
import type { ClusterOptions } from '../server/open-replica.ts';
import { ledgerMemoryLimit } from '../../domain/ledger-memory.ts';
import { containerMemory } from '../../base/container-memory.ts';
import { batchSizeLimitDevelopment, batchSizeLimitProduction } from '../wire/limits.ts';
import { UsageError, type Input, type Verb } from './verb.ts';
import { peerSecurity, peerSecurityFlags } from './peer-security.ts';
import {
  parseAddress,
  parseAddresses,
  parseIncarnation,
  parseInteger,
  parseSize,
  required,
} from './values.ts';

/** Without it pino would leave out an error's message and stack. */
const serializers = { error: pino.stdSerializers.err };

export const start: Verb = {
  name: 'start',
  summary: 'Run a replica from its data file.',
  arguments: ['path'],
  flags: [
    {
      name: 'addresses',
      value: 'list',
      help: 'addresses of all replicas, in order; 0 takes a free port of 127.0.0.1',
    },
    {
      name: 'listen',
      value: 'address',
      help: "where to serve clients, when its own entry of --addresses is not this host's",
    },
    {
      name: 'status-address',
      value: 'address',
      help: 'where to serve /livez, /startedz, /readyz, /status and /metrics',
    },
    {
      name: 'etcd',
      value: 'address',
      help: 'for several replicas: the etcd member beside this one, unix:/path or host:port',
    },
    {
      name: 'peer-addresses',
      value: 'list',
      help: 'for several replicas: where they reach each other, in order; not for clients',
    },
    {
      name: 'peer-listen',
      value: 'address',
      help: "where to serve the others, when its own entry of --peer-addresses is not this host's",
    },
    ...peerSecurityFlags,
    {
      name: 'incarnation',
      value: 'count',
      help: 'for several replicas: incarnation of the database, one higher after each restore; 1 by default',
    },
    {
      name: 'memory-limit',
      value: 'size',
      help: "memory for the ledger; by default the container's limit less the program's own need",
    },
    {
      name: 'limit-connections',
      value: 'count',
      help: 'client connections at a time, 256 by default',
    },
    {
      name: 'archive',
      value: undefined,
      help: "keep the log for the archiver beside this engine ('archive'), as long as there is room",
    },
    { name: 'development', value: undefined, help: 'smaller batches (32 KiB a request)' },
    { name: 'log-debug', value: undefined, help: 'log more' },
    {
      name: 'cache-grid',
      value: 'size',
      help: 'accepted for compatibility; rows take the memory that is left',
    },
    { name: 'experimental', value: undefined, help: 'accepted for compatibility' },
  ],
  async run(input) {
    const [path = ''] = input.arguments;
    const level = input.flag('log-debug') === undefined ? 'info' : 'debug';
    const logger = pino(
      { level, base: null, serializers },
      pino.destination({ dest: 2, sync: true }),
    );
    const list = required(input.flag('addresses'), 'addresses');
    const isTest = list === '0';
    const addresses = isTest ? [{ host: '127.0.0.1', port: 0 }] : parseAddresses(list);
    const listenFlag = input.flag('listen');
    const listenAddress = listenFlag === undefined ? undefined : parseAddress(listenFlag);
    const engine = await Engine.open({
      path,
      version: programVersion(),
      batchSizeLimit:
        input.flag('development') === undefined
          ? batchSizeLimitProduction
          : batchSizeLimitDevelopment,
      memoryLimitBytes: memoryLimit(input),
      archived: input.flag('archive') !== undefined,
      cluster: clusterOptions(input),
      connectionsMax: parseInteger(
        'limit-connections',
        input.flag('limit-connections') ?? '256',
        1,
        65_535,
      ),
      logger,
      onFatal: (error) => {
        // A write has failed, or a page of the index is damaged: the message says which.
        logger.fatal({ error }, error.message);
        process.exit(1);
      },
    });
    stopOnSignal(engine, logger, isTest);
    const status = input.flag('status-address');
    if (status !== undefined) {
      const { host, port } = parseAddress(status);
      const bound = await engine.serveStatus(host, port);
      logger.info({ host, port: bound }, 'status served');
    }
    const { identity } = engine;
    const own = addresses[identity.replicaIndex];
    if (own === undefined || addresses.length < identity.replicaCount) {
      throw new UsageError(
        `--addresses has ${addresses.length} of ${identity.replicaCount} entries; all replicas must be named`,
      );
    }
    const listen = listenAddress ?? own;
    const port = await engine.serve(listen.host, listen.port);
    logger.info(
      {
        cluster: String(identity.clusterId),
        replica: identity.replicaIndex,
        host: listen.host,
        port,
      },
      'listening',
    );
    if (isTest) process.stdout.write(`${port}\n`);
    return 0;
  },
};

function clusterOptions(input: Input): ClusterOptions | undefined {
  const [etcd, list] = [input.flag('etcd'), input.flag('peer-addresses')];
  if (etcd === undefined && list === undefined) return undefined;
  const listen = input.flag('peer-listen');
  const peerAddresses = parseAddresses(required(list, 'peer-addresses'));
  return {
    etcd: required(etcd, 'etcd'),
    peerAddresses,
    peerSecurity: peerSecurity(input, peerAddresses),
    peerListen: listen === undefined ? undefined : parseAddress(listen),
    incarnation: parseIncarnation(input.flag('incarnation')),
  };
}

function memoryLimit(input: Input): number {
  const flag = input.flag('memory-limit');
  return flag === undefined
    ? ledgerMemoryLimit(containerMemory())
    : parseSize('memory-limit', flag);
}

/** Stops the engine in good order, once, on SIGTERM, SIGINT and, in test mode, the end of stdin. */
function stopOnSignal(engine: Engine, logger: pino.Logger, watchStdin: boolean): void {
  let stopping = false;
  const stop = (why: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ why }, 'stopping');
    engine.stop().then(
      () => {
        logger.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        logger.fatal({ error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  if (watchStdin) {
    process.stdin.on('end', () => stop('stdin ended')).on('error', () => stop('stdin failed'));
    process.stdin.resume();
  }
}
