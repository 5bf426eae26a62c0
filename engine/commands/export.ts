import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportDataFile } from '../log/export.ts';
import { createEtcdClient } from '../log/replicated/etcd-client.ts';
import { salvage } from '../replica/salvage.ts';
import { ledgerMemoryLimit } from '../../domain/ledger-memory.ts';
import { containerMemory } from '../../base/container-memory.ts';
import { UsageError, type Verb } from './verb.ts';
import { parseAddress, required } from './values.ts';

export const exportFile: Verb = {
  name: 'export',
  summary:
    'Copy a replica into a portable data file: a running one while it goes on, or the file of a stopped one.',
  arguments: ['to'],
  flags: [
    {
      name: 'status-address',
      value: 'address',
      help: "the replica's status address, on this machine",
    },
    { name: 'from', value: 'path', help: 'the data file of a replica that was stopped' },
    {
      name: 'etcd',
      value: 'address',
      help: 'with --from, when the majority is gone for good: the etcd member of the survivor, whose blocks are exported too',
    },
  ],
  async run(input) {
    const [to = ''] = input.arguments;
    const from = input.flag('from');
    const etcd = input.flag('etcd');
    if (from !== undefined && etcd !== undefined) return exportSurvivor(from, etcd, to);
    if (from !== undefined) {
      await exportDataFile(from, { path: to });
      return 0;
    }
    if (input.flag('status-address') === undefined)
      throw new UsageError(
        'say what to export: --status-address of a running replica, or --from a data file',
      );
    const { host, port } = parseAddress(required(input.flag('status-address'), 'status-address'));
    if (await exists(to)) throw new UsageError(`${to} exists; export does not overwrite`);
    const response = await fetch(`http://${host}:${port}/export`, { method: 'POST' });
    if (!response.ok || response.body === null) {
      throw new UsageError(
        `the replica refused: ${response.status} ${(await response.text()).trim()}`,
      );
    }
    // The file gets its name only when the last byte is on the disk, so that it is never incomplete.
    const unfinished = `${to}.unfinished`;
    try {
      await pipeline(
        Readable.fromWeb(response.body),
        createWriteStream(unfinished, { mode: 0o600, flush: true }),
      );
      await rename(unfinished, to);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw new UsageError(`the export broke off (${String(error)}); nothing was written`, {
        cause: error,
      });
    }
    return 0;
  },
};

async function exportSurvivor(path: string, address: string, to: string): Promise<number> {
  const etcd = createEtcdClient(address);
  const memoryLimitBytes = ledgerMemoryLimit(containerMemory());
  try {
    const { op, timestamp, place } = await salvage({ path, etcd, memoryLimitBytes, to });
    const found = `op=${op} timestamp=${timestamp}`;
    const where = `fence=${place?.fence ?? 0} sequence=${place?.sequence ?? 0}`;
    process.stderr.write(`exported ${to}: ${where} ${found}\n`);
    return 0;
  } finally {
    etcd.close();
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
