import { required } from '../commands/values.ts';
import type { Verb } from '../commands/verb.ts';
import { examine } from './examine.ts';
import { engineFlag, identityFlags, pathFlag, readEngine, readIdentity } from './identity.ts';
import { reportingFinding, terminationFlag } from './termination.ts';

export const check: Verb = {
  name: 'check',
  summary: "Exit with 0 if the data file is this replica's, 10 missing, 11 another's, 12 damaged.",
  arguments: [],
  flags: [pathFlag, ...identityFlags, engineFlag, terminationFlag],
  run(input) {
    const path = required(input.flag('path'), 'path');
    const expected = { ...readIdentity(input), engine: readEngine(input) };
    return reportingFinding(input, () => examine(path, expected));
  },
};
