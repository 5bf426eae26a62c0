/** The suite of the official Node.js client, unmodified, through the tunnel over TLS, also while API processes are killed. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { TestEngine } from '../support/engine/engine.ts';
import { TunnelWorld, tunnelDatabaseId } from '../support/api/tunnel-world.ts';
import { checkout, shell } from '../support/shell.ts';

jest.setTimeout(900_000);
let engine: TestEngine | undefined;
let world: TunnelWorld | undefined;
afterEach(async () => {
  await world?.stop();
  await engine?.dispose();
});

async function suite(): Promise<{ code: number; passed: number; said: string }> {
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
    { env: world?.environment('full') ?? {}, timeoutMs: 840_000 },
  );
  const said = stdout + stderr;
  return {
    code,
    passed: (said.match(/^.*: PASSED$/gm) ?? []).length,
    said: code === 0 ? '' : said.slice(-4_000),
  };
}

test('all 27 tests of tigerbeetle-node pass through the tunnel', async () => {
  engine = await TestEngine.create();
  world = await TunnelWorld.start({ addresses: [`127.0.0.1:${engine.port}`] });
  expect(await suite()).toEqual({ code: 0, passed: 27, said: '' });
});

test('they also pass while API processes are killed one after the other', async () => {
  engine = await TestEngine.create();
  world = await TunnelWorld.start({ addresses: [`127.0.0.1:${engine.port}`], processes: 2 });
  const over = new AbortController();
  const killer = (async () => {
    let killed = 0;
    while (!over.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      if (over.signal.aborted) break;
      await world?.replaceOne(killed % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      killed += 1;
    }
    return killed;
  })();
  const result = await suite();
  over.abort();
  const killed = await killer;
  expect(result).toEqual({ code: 0, passed: 27, said: '' });
  expect(killed).toBeGreaterThanOrEqual(2);
});
