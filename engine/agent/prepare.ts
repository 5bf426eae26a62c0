import { required } from '../commands/values.ts';
import type { Verb } from '../commands/verb.ts';
import { pathFlag } from './identity.ts';
import { removeLeftovers } from './leftovers.ts';

export const prepare: Verb = {
  name: 'prepare',
  summary: 'Remove the files of an unfinished attempt to make a data file, and nothing else.',
  arguments: [],
  flags: [pathFlag],
  async run(input) {
    const removed = await removeLeftovers(required(input.flag('path'), 'path'));
    for (const name of removed) process.stderr.write(`removed ${name}\n`);
    return 0;
  },
};
