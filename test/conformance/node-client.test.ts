/** The suite that ships in the official Node.js client, unmodified, against an empty engine. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { TestEngine } from '../support/engine/engine.ts';
import { shell } from '../support/shell.ts';

jest.setTimeout(900_000);
let engine: TestEngine | undefined;
afterEach(async () => engine?.dispose());

test.each([
  ['production', []],
  ['development', ['--development']],
])('all 27 tests of tigerbeetle-node pass with the batch limit of %s', async (_limit, flags) => {
  engine = await TestEngine.create({ flags });
  const { code, stdout, stderr } = await shell(
    process.execPath,
    ['node_modules/tigerbeetle-node/dist/test.js'],
    { env: { TB_ADDRESS: `127.0.0.1:${engine.port}` }, timeoutMs: 840_000 },
  );
  const passed = (stdout + stderr).match(/^.*: PASSED$/gm) ?? [];
  expect({ code, passed: passed.length, said: code === 0 ? '' : stderr }).toEqual({
    code: 0,
    passed: 27,
    said: '',
  });
});
