/**
 * The suite of the official Node.js client, unmodified, through the tunnel over TLS, while API processes are killed. Also with
 * TigerBeetle itself, if TIGERBEETLE names its program.
 */
import { afterEach, expect, jest, test } from '@jest/globals';
import { startTigerBeetle, tigerbeetle } from '../support/engine/tigerbeetle.ts';
import { TestEngine } from '../support/engine/engine.ts';
import { TunnelWorld, tunnelDatabaseId } from '../support/api/tunnel-world.ts';
import { checkout, shell } from '../support/shell.ts';

jest.setTimeout(900_000);
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function suite(world: TunnelWorld): Promise<{ code: number; passed: number; said: string }> {
  const { code, stdout, stderr } = await shell(
    `${checkout}/bin/ledgerhouse`,
    [
      'connect',
      tunnelDatabaseId,
      '--exec',
      '--',
      process.execPath,
      'node_modules/tigerbeetle-node/dist/test.js',
    ],
    { env: world.environment('full'), timeoutMs: 840_000 },
  );
  const said = stdout + stderr;
  return {
    code,
    passed: (said.match(/^.*: PASSED$/gm) ?? []).length,
    said: code === 0 ? '' : said.slice(-4_000),
  };
}

async function passesWhileProcessesDie(options: {
  readonly addresses: readonly string[];
  readonly engine?: string;
  readonly engineVersion?: string;
}): Promise<void> {
  const world = await TunnelWorld.start({ ...options, processes: 2 });
  closers.push(() => world.stop());
  const end = world.replacing(500);
  const result = await suite(world);
  const killed = await end();
  expect(result).toEqual({ code: 0, passed: 27, said: '' });
  expect(killed).toBeGreaterThanOrEqual(2);
}

test('all 27 tests of tigerbeetle-node pass through the tunnel while API processes are killed one after the other', async () => {
  const engine = await TestEngine.create();
  closers.push(() => engine.dispose());
  await passesWhileProcessesDie({ addresses: [`127.0.0.1:${engine.port}`] });
});

(tigerbeetle === undefined ? test.skip : test)(
  'they also pass with TigerBeetle behind it',
  async () => {
    const engine = await startTigerBeetle();
    closers.push(() => engine.dispose());
    await passesWhileProcessesDie({
      addresses: [`127.0.0.1:${engine.port}`],
      engine: 'TigerBeetle',
      engineVersion: engine.version,
    });
  },
);
