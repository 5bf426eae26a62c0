/** A cluster of one replica: our own engine behind TigerBeetle's data file, so that clients are really served. */
import { existsSync } from 'node:fs';
import type pino from 'pino';
import type { HostPort } from '../../base/host-port.ts';
import { formatDataFile } from '../../engine/log/format-file.ts';
import { LOG_SIZE_MIN } from '../../engine/log/layout.ts';
import { Engine } from '../../engine/server/engine.ts';
import { ledgerMemoryLimit } from '../../domain/ledger-memory.ts';
import { containerMemory } from '../../base/container-memory.ts';
import { batchSizeLimitProduction } from '../../engine/wire/limits.ts';
import { engineRelease, formatRelease } from '../../engine/wire/release.ts';
import type { DataFile } from './data-file.ts';
import type { Statistic } from './statistics.ts';

/** Serves clients; returns the values for the statistics. */
export async function serveSingle(
  path: string,
  dataFile: DataFile,
  listen: HostPort,
  logger: pino.Logger,
): Promise<() => readonly Statistic[]> {
  const records = `${path}.records`;
  if (!existsSync(records)) {
    // The superblock changes once the records exist. If they are missing afterwards, they were lost.
    if (dataFile.superblock.sequence > 1) throw new Error(`${records} is lost`);
    const { identity } = dataFile.superblock;
    await formatDataFile({
      path: records,
      identity,
      release: engineRelease,
      logSizeBytes: LOG_SIZE_MIN,
    });
  }
  if (dataFile.superblock.sequence === 1) await dataFile.update({});
  const engine = await Engine.open({
    path: records,
    version: formatRelease(dataFile.superblock.release),
    batchSizeLimit: batchSizeLimitProduction,
    memoryLimitBytes: ledgerMemoryLimit(containerMemory()),
    connectionsMax: 64,
    logger,
    onFatal: (error) => {
      logger.fatal({ error }, 'the records cannot be written');
      process.exit(1);
    },
  });
  await engine.serve(listen.host, listen.port);
  const stop = () => void engine.stop().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  return () => {
    const status = engine.status();
    return [
      { name: 'replica_op', value: status.op },
      { name: 'replica_op_checkpoint', value: status.checkpoint },
      { name: 'replica_commit_min', value: status.commit },
      { name: 'replica_commit_max', value: status.commit },
      { name: 'message_bus_connections', value: status.connections, tags: { peer: 'client' } },
      {
        name: 'value_count_visible',
        value: status.accounts,
        tags: { tree: 'Account.timestamp' },
      },
      {
        name: 'value_count_visible',
        value: status.transfers,
        tags: { tree: 'Transfer.timestamp' },
      },
    ];
  };
}
