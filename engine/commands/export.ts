import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError, type Verb } from './verb.ts';
import { required } from './format.ts';
import { parseAddress } from './values.ts';

export const exportFile: Verb = {
  name: 'export',
  summary:
    'Copy a running replica into a data file, consistent at one operation, while it goes on.',
  arguments: ['to'],
  flags: [
    {
      name: 'status-address',
      value: 'address',
      help: "the replica's status address, on this machine",
    },
  ],
  async run(input) {
    const [to = ''] = input.arguments;
    const { host, port } = parseAddress(required(input.flag('status-address'), 'status-address'));
    if (await exists(to)) throw new UsageError(`${to} exists; export does not overwrite`);
    const response = await fetch(`http://${host}:${port}/export`, { method: 'POST' });
    if (!response.ok || response.body === null) {
      throw new UsageError(
        `the replica refused: ${response.status} ${(await response.text()).trim()}`,
      );
    }
    // Whole or not there: the name is given when the last byte has come and is on the disk.
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

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
