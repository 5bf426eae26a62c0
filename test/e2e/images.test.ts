/** Images are tagged by their content: an unchanged image is not built again. */
import { expect, jest, test } from '@jest/globals';
import { statSync } from 'node:fs';
import { shell } from '../support/shell.ts';
import { buildImage } from '../../tools/images/build.ts';

jest.setTimeout(25 * 60_000);

test('an image that has not changed is not built again', async () => {
  const first = await buildImage('probe');
  const before = statSync(first.archive);
  const second = await buildImage('probe');
  const after = statSync(second.archive);
  expect(second.reference).toBe(first.reference);
  expect(second.reference).toMatch(/^ledgerhouse\/probe:[0-9a-f]{16}$/);
  // Built again, the archive would be another file under the same name.
  expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
});

test('an image that does not exist is refused with the names of those that do', async () => {
  const { code, stderr } = await shell(process.execPath, [
    'tools/images/main.ts',
    'build',
    'nosuch',
  ]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/no image nosuch; there are pause, engine, .*\boperator, .*\bprobe/);
});
