/** Messages of `make status`, `make logs` and `make env` while not everything is up. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from '../../../tools/cluster/binaries.ts';
import { startControlPlane, type ControlPlane } from '../../../tools/cluster/control-plane.ts';
import { shell } from '../../support/shell.ts';

jest.setTimeout(900_000);

const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-up-'));
const kubeconfig = join(folder, 'kubeconfig');
let controlPlane: ControlPlane | undefined;
beforeAll(async () => {
  await ensureProgram('kubectl');
}, 30 * 60_000);
afterAll(async () => {
  await controlPlane?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** One line of ours, and the one that make adds. */
async function said(target: string): Promise<readonly string[]> {
  const env = { LEDGERHOUSE_STATE_DIR: folder };
  const { code, stderr } = await shell('make', ['-s', target], { env, timeoutMs: 300_000 });
  expect(code).not.toBe(0);
  return stderr.split('\n').filter((line) => line !== '' && !/^make(\[\d+\])?: /.test(line));
}

test('at each stage, one line names the part that is not up and the next command', async () => {
  for (const target of ['status', 'logs', 'env'])
    expect(await said(target)).toEqual(['nothing is up; run make up']);
  controlPlane = await startControlPlane();
  copyFileSync(controlPlane.kubeconfig, kubeconfig);
  for (const target of ['status', 'logs'])
    expect(await said(target)).toEqual(['Kubernetes is up, the service is not yet; run make up']);
  expect(await said('env')).toEqual(['there is no API key yet; run make up']);
  await controlPlane.stop();
  controlPlane = undefined;
  // As after a restart of the machine.
  for (const target of ['status', 'logs'])
    expect(await said(target)).toEqual([
      'Kubernetes does not answer; make up continues from the current state',
    ]);
});
