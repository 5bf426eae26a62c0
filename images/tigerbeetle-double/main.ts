/** The double's `/tigerbeetle` program (README.md). */
import { runProgram } from '../../engine/commands/command-line.ts';
import type { Verb } from '../../engine/commands/verb.ts';
import { formatRelease } from '../../engine/wire/release.ts';
import { readConfig, type DoubleConfig } from './config.ts';
import { formatWith } from './format.ts';
import { recoverWith } from './recover.ts';
import { startWith } from './start.ts';

const versionWith = ({ release }: DoubleConfig): Verb => ({
  name: 'version',
  summary: 'Print the version.',
  arguments: [],
  flags: [{ name: 'verbose', value: undefined, help: 'the release as a number too' }],
  run(input) {
    process.stdout.write(`TigerBeetle version ${formatRelease(release)}+double\n`);
    if (input.flag('verbose') !== undefined) process.stdout.write(`process.release=${release}\n`);
    return Promise.resolve(0);
  },
});

const config = readConfig();
await runProgram(
  {
    name: 'tigerbeetle',
    verbs: {
      format: () => Promise.resolve(formatWith(config)),
      start: () => Promise.resolve(startWith(config)),
      recover: () => Promise.resolve(recoverWith(config)),
      version: () => Promise.resolve(versionWith(config)),
    },
  },
  process.argv.slice(2),
);
