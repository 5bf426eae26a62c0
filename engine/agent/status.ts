import { createSocket, type Socket } from 'node:dgram';
import pino from 'pino';
import type { HostPort } from '../../base/host-port.ts';
import { parseAddress, required } from '../commands/values.ts';
import type { Verb } from '../commands/verb.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import { exposition } from '../../base/metrics/exposition.ts';
import { networkMetrics } from '../server/machine-io.ts';
import { statusMetrics } from '../server/metrics.ts';
import { StatusServer } from '../server/status-server.ts';
import { FileUsage } from './file-usage.ts';
import { identityFlags, pathFlag, readIdentity } from './identity.ts';
import { Statistics } from './statistics.ts';
import { engineStatusOf, unreadyReason } from './tigerbeetle-status.ts';

const lookEveryMs = 10_000;

export const status: Verb = {
  name: 'status',
  summary: "Serve a TigerBeetle replica's readiness, status and metrics, from its statistics.",
  arguments: [],
  flags: [
    pathFlag,
    ...identityFlags,
    { name: 'statsd', value: 'address', help: "where TigerBeetle's --statsd sends" },
    {
      name: 'status-address',
      value: 'address',
      help: 'where to serve /livez, /readyz, /status and /metrics',
    },
  ],
  async run(input) {
    const identity = readIdentity(input);
    const statsd = parseAddress(required(input.flag('statsd'), 'statsd'));
    const serve = parseAddress(required(input.flag('status-address'), 'status-address'));
    const file = new FileUsage(required(input.flag('path'), 'path'));
    const logger = pino({ level: 'info', base: null }, pino.destination({ dest: 2, sync: true }));

    const statistics = new Statistics(identity, () => performance.now());
    const socket = await listenForStatistics(statsd, statistics, logger);
    logger.info({ ...socket.address() }, 'listening for statistics');
    const server = new StatusServer(sourceOf(identity, statistics, file));
    const port = await server.listen(serve.host, serve.port);
    logger.info({ host: serve.host, port }, 'status served');

    void file.look();
    const looking = setInterval(() => void file.look(), lookEveryMs);
    const stop = (signal: string) => {
      logger.info({ why: signal }, 'stopping');
      clearInterval(looking);
      socket.close();
      server.close();
      // The agent has nothing to lose, so a disk that hangs must not delay its end.
      process.exit(0);
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    return 0;
  },
};

function sourceOf(identity: ReplicaIdentity, statistics: Statistics, file: FileUsage) {
  const current = () => engineStatusOf(identity, statistics, file.usage);
  return {
    status: current,
    hasStarted: () => true,
    unready: () => unreadyReason(statistics),
    async metrics() {
      const said = current();
      const common =
        'problem' in said ? '' : await exposition([...statusMetrics(said), ...networkMetrics()]);
      return `${common}${await statistics.exposition()}`;
    },
  };
}

function listenForStatistics(
  { host, port }: HostPort,
  statistics: Statistics,
  logger: pino.Logger,
): Promise<Socket> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (datagram) => statistics.take(datagram.toString('latin1')));
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, host, () => {
      socket.off('error', reject);
      socket.on('error', (error) => logger.warn({ error }, 'statistics cannot be received'));
      resolve(socket);
    });
  });
}
