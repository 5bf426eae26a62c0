import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineRelease, formatRelease, oldestClientRelease } from '../wire/release.ts';
import type { Verb } from './verb.ts';

/** Version of the program, read from the package that it was shipped in. */
export function programVersion(): string {
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const manifest = JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8')) as {
        version: string;
      };
      return manifest.version;
    } catch {
      // The compiled program lies one folder deeper than its source.
    }
  }
  return 'unknown';
}

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
