import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { systemTimers } from '../../../base/timers.ts';
import { dataFileVariable, logMemberVariable } from '../../../domain/names.ts';
import { ArchiveError } from '../../archive/errors.ts';
import { Archiver } from '../../archiver/archiver.ts';
import { FeedClient } from '../../archiver/feed-client.ts';
import { reportFault } from '../../archiver/report-fault.ts';
import { LogMember } from '../../archiver/log-member.ts';
import type { LogSource } from '../../archiver/log-source.ts';
import { LogVolume } from '../../archiver/log-volume.ts';
import { Spool } from '../../archiver/spool.ts';
import { createEtcdClient } from '../../log/replicated/etcd-client.ts';
import { parseAddress, parseClusterId, parseInteger, parseSize, required } from '../values.ts';
import type { Verb } from '../verb.ts';
import { databaseIdOf, storeFlags, withStore } from './store-flags.ts';

/** Patience of one request; the archiver itself never gives up. */
const PATIENCE_SECONDS = 15;
/** Time that the last segments are given after SIGTERM. */
const LAST_MS = 20_000;

export const archive: Verb = {
  name: 'archive',
  summary:
    "Send a running replica's log into a bucket, continuously. The engine runs with --archive.",
  arguments: [],
  flags: [
    ...storeFlags,
    { name: 'cluster', value: 'id', help: 'cluster id of the database' },
    { name: 'engine', value: 'address', help: 'the status address of the engine beside it' },
    { name: 'spool', value: 'folder', help: 'where segments wait while the store is away' },
    { name: 'spool-limit', value: 'size', help: 'bytes that may wait there, 900MiB by default' },
    {
      name: 'rpo',
      value: 'seconds',
      help: 'time within which an operation is to be in the bucket, 5 by default',
    },
  ],
  async run(input) {
    const serializers = { error: pino.stdSerializers.err };
    const logger = pino(
      { level: 'info', base: null, serializers },
      pino.destination({ dest: 2, sync: true }),
    );
    const databaseId = databaseIdOf(input);
    const clusterId = parseClusterId(required(input.flag('cluster'), 'cluster'));
    const feed = new FeedClient(parseAddress(required(input.flag('engine'), 'engine')));
    const spool = await Spool.open(required(input.flag('spool'), 'spool'));
    const rpoMs = parseInteger('rpo', input.flag('rpo') ?? '5', 1, 300) * 1_000;
    const spoolBytesMax = parseSize('spool-limit', input.flag('spool-limit') ?? '900MiB');
    const stop = new AbortController();
    const end = (): void => stop.abort();
    process.once('SIGTERM', end).once('SIGINT', end);
    const source = logSource(clusterId);
    const work = { feed, source, spool, databaseId, clusterId, rpoMs, spoolBytesMax };
    const archiving = withStore(
      input,
      async (store) => {
        const archiver = new Archiver({
          ...work,
          store,
          encrypted: store.seals,
          timers: systemTimers,
          random: Math.random,
          logger,
        });
        logger.info({ databaseId, rpoMs }, 'archiving');
        const done = archiver.run(stop.signal, LAST_MS);
        await Promise.race([done, afterStop(stop.signal)]);
      },
      { defaultSeconds: PATIENCE_SECONDS },
    );
    await archiving.catch(async (error: unknown) => {
      if (!(error instanceof ArchiveError && error.code === 'keys_wrong')) throw error;
      const { code, message } = error;
      logger.error({ code, message }, 'archiving is held up');
      await reportFault(feed, { state: 'KeyMissing', message }, systemTimers, stop.signal);
    });
    logger.info('stopped');
    return 0;
  },
};

/** Where the archiver may read the log by itself, if its environment says so. */
function logSource(clusterId: bigint): LogSource | undefined {
  // oxlint-disable-next-line node/no-process-env -- flags would end an archiver of an earlier version
  const { [dataFileVariable]: dataFile, [logMemberVariable]: member } = process.env;
  if (dataFile !== undefined) return new LogVolume(dataFile, clusterId);
  return member === undefined
    ? undefined
    : new LogMember({ etcd: createEtcdClient(member), clusterId });
}

/** Resolves when a stop takes too long: whatever is left is in the spool, or still in the engine's log. */
async function afterStop(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await sleep(LAST_MS + 5_000, undefined, { ref: false });
}
