import { programVersion } from '../../base/program-version.ts';
import { engineRelease, formatRelease, oldestClientRelease } from '../wire/release.ts';
import type { Verb } from './verb.ts';

export const version: Verb = {
  name: 'version',
  summary: 'Print the version.',
  arguments: [],
  flags: [{ name: 'verbose', value: undefined, help: 'the protocol releases too' }],
  run(input) {
    process.stdout.write(`Ledgerhouse engine version ${programVersion()}\n`);
    if (input.flag('verbose') !== undefined) {
      process.stdout.write(`protocol.release=${formatRelease(engineRelease)}\n`);
      process.stdout.write(`protocol.release_client_min=${formatRelease(oldestClientRelease)}\n`);
    }
    return Promise.resolve(0);
  },
};
