import { required } from '../commands/values.ts';
import { dirname } from 'node:path';
import type { Verb } from '../commands/verb.ts';
import { diskStorage, syncDurably } from '../log/disk-storage.ts';
import { DataProblem } from '../../domain/data-problem.ts';
import { examine, stateOfFile, type Finding } from './examine.ts';
import {
  engineFlag,
  identityFlags,
  pathFlag,
  readEngine,
  readIdentity,
  type Expected,
} from './identity.ts';
import { partialOf, removeLeftovers } from './leftovers.ts';
import { reportingFinding, tellState, terminationFlag } from './termination.ts';

export const install: Verb = {
  name: 'install',
  summary: 'Rename a finished data file from <file>.partial to its name. Never replaces a file.',
  arguments: [],
  flags: [pathFlag, ...identityFlags, engineFlag, terminationFlag],
  run(input) {
    const path = required(input.flag('path'), 'path');
    const expected = { ...readIdentity(input), engine: readEngine(input) };
    return reportingFinding(input, async () => {
      const finding = await installDataFile(path, expected);
      if (finding !== undefined) return finding;
      // The existing file's state: an earlier run may have installed it.
      const state = await stateOfFile(path);
      if (state !== undefined) tellState(input, state);
      return undefined;
    });
  },
};

/**
 * Installs this replica's data file at `path`, durably, with no leftovers beside it. If that is not possible, returns a
 * finding and changes nothing. May be killed at any point and run again.
 */
async function installDataFile(path: string, expected: Expected): Promise<Finding | undefined> {
  const existing = await examine(path, expected);
  if (existing === undefined) {
    // An earlier run may have been killed after it gave the file its final name and before it removed the temporary one.
    await removeLeftovers(path);
    await syncDurably(dirname(path));
    return undefined;
  }
  if (existing.reason !== DataProblem.missing) return existing;
  const partial = partialOf(path);
  const made = await examine(partial, expected);
  if (made !== undefined) return made;
  await syncDurably(partial);
  await diskStorage.publish(partial, path);
  return undefined;
}
