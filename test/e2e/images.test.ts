/** Images are tagged by their content: an unchanged image is not built again. */
import { expect, jest, test } from '@jest/globals';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConnectCommand } from '../support/api/connect-command.ts';
import { TunnelWorld, tunnelDatabaseId } from '../support/api/tunnel-world.ts';
import { TestEngine } from '../support/engine/engine.ts';
import { connectTo, lookupAccounts } from '../support/engine/ledger.ts';
import { checkout, mustRun, shell } from '../support/shell.ts';
import { buildImage } from '../../tools/images/build.ts';
import { recipes } from '../../tools/images/rootfs.ts';

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

test('the image for a sidecar holds all that ledgerhouse connect needs, and little else', async () => {
  const { reference } = await buildImage('connect');
  expect(reference).toMatch(/^ledgerhouse\/connect:/);
  const rootfs = mkdtempSync(join(tmpdir(), 'ledgerhouse-connect-'));
  await recipes['connect']?.fill(rootfs);
  const engine = await TestEngine.create();
  const world = await TunnelWorld.start({ addresses: [`127.0.0.1:${engine.port}`] });
  let command: ConnectCommand | undefined;
  try {
    // Beside Node itself: our code and its packages.
    const { stdout } = await shell('du', ['-sk', join(rootfs, 'app')]);
    expect(Number.parseInt(stdout, 10)).toBeLessThan(5 * 1024);
    // What a kubelet and a Secret add.
    writeFileSync(join(rootfs, 'etc/hosts'), '127.0.0.1 localhost\n');
    cpSync(join(world.folder, 'ca.crt'), join(rootfs, 'etc/ca.crt'));
    await mustRun('chmod', ['755', rootfs]);
    const [, entry = '[]'] =
      /^ENTRYPOINT (.*)$/m.exec(
        readFileSync(join(checkout, 'images/connect/Dockerfile'), 'utf8'),
      ) ?? [];
    command = await ConnectCommand.start(
      tunnelDatabaseId,
      {
        NODE_USE_ENV_PROXY: '1',
        LEDGERHOUSE_BASE_URL: world.url,
        LEDGERHOUSE_API_KEY: 'full',
        NODE_EXTRA_CA_CERTS: '/etc/ca.crt',
      },
      ['/usr/sbin/chroot', '--userspec=65532:65532', rootfs, ...(JSON.parse(entry) as string[])],
    );
    const client = connectTo(command.ports[0] ?? 0, 60_000);
    expect(await lookupAccounts(client, [1n])).toEqual([]);
    client.close();
    expect(await command.end('SIGTERM')).toBe(0);
  } finally {
    await command?.end('SIGKILL');
    await world.stop();
    await engine.dispose();
    rmSync(rootfs, { recursive: true, force: true });
  }
});
