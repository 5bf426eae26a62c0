import { expect, test } from '@jest/globals';
import { backupExample } from '../../api/contract/schemas/backup.ts';
import type { Backup } from '../../gen/api.ts';
import { backupText } from './backup.ts';

const tested = (verification: object | null) =>
  backupText({
    ...backupExample,
    verification: verification && { ...backupExample.verification, ...verification },
  } as Backup);

test('a backup shows whether the archived log led to it, or why its rows alone were tested', () => {
  expect(tested({})).toMatch(/^log +leads to it from operation 120000, replayed in 0\.9 s$/m);
  const rowsOnly = { code: 'NoLog', message: 'There is no log.' };
  expect(tested({ replayedFrom: null, rowsOnly })).toMatch(
    /^log +not replayed: There is no log\.$/m,
  );
  // A service of the release before says neither, and some backups have no test.
  for (const one of [{ replayedFrom: undefined, rowsOnly: undefined }, null])
    expect(tested(one)).not.toMatch(/^log /m);
});
