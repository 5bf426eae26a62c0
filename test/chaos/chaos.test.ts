/** A short run of `make chaos` with the same schedule each time; CHAOS_SEED sets another. */
import { beforeAll, expect, jest, test } from '@jest/globals';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { shell } from '../support/shell.ts';

const RUN_MAX_MS = 20 * 60_000;
jest.setTimeout(RUN_MAX_MS + 10_000);
beforeAll(() => ensureProgram('etcd'), 15 * 60_000);

test('under faults nothing acknowledged is lost, doubled or told otherwise', async () => {
  const flags = [`--seed=${process.env['CHAOS_SEED'] ?? '8'}`, '--minutes=1', '--replicas=3'];
  const run = ['--disable-warning=ExperimentalWarning', 'test/chaos/main.ts', ...flags];
  const { code, stdout, stderr } = await shell(process.execPath, run, { timeoutMs: RUN_MAX_MS });
  process.stderr.write(stdout + stderr);
  expect(stdout).toContain('no difference found');
  expect(code).toBe(0);
});
