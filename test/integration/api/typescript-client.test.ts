/** The package in clients/typescript as a program uses it: built, installed, type-checked, and run against the API and an engine. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TunnelWorld, tunnelDatabaseId } from '../../support/api/tunnel-world.ts';
import { TestEngine } from '../../support/engine/engine.ts';
import { checkout, eventually, mustRun, shell } from '../../support/shell.ts';

let engine: TestEngine;
let world: TunnelWorld;
const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-client-'));

beforeAll(async () => {
  engine = await TestEngine.create();
  world = await TunnelWorld.start({ addresses: [`127.0.0.1:${engine.port}`], processes: 2 });
  const installed = join(folder, 'node_modules/@ledgerhouse/client');
  mkdirSync(installed, { recursive: true });
  await mustRun('node_modules/.bin/tsc', [
    '-p',
    'clients/typescript',
    '--outDir',
    join(installed, 'dist'),
  ]);
  cpSync(join(checkout, 'clients/typescript/package.json'), join(installed, 'package.json'));
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers']) {
    symlinkSync(join(checkout, 'node_modules', name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(async () => {
  await world.stop();
  await engine.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const head = `
  import { createClient, Ledger, LedgerhouseError, newId } from '@ledgerhouse/client';
  const { BASE_URL: baseUrl = '', KEY: apiKey = '' } = process.env;
  const ledger = new Ledger(createClient({ baseUrl, apiKey }), '${tunnelDatabaseId}');
`;

const compiled = (file: string) =>
  shell(join(checkout, 'node_modules/.bin/tsc'), [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--target',
    'es2023',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--typeRoots',
    join(checkout, 'node_modules/@types'),
    file,
  ]);

async function program(name: string, source: string, key = 'full') {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, head + source);
  const types = await compiled(file);
  expect({ code: types.code, said: types.stdout }).toEqual({ code: 0, said: '' });
  const env = { ...world.environment(key), BASE_URL: world.url, KEY: key };
  return shell(process.execPath, [file], { env, timeoutMs: 600_000 });
}

test('a program reads and writes with exact integers', async () => {
  const { code, stdout, stderr } = await program(
    'exact',
    `
    const most: bigint = 2n ** 128n - 2n;
    const { result: made } = await ledger.createAccounts([
      { id: most, ledger: 1, code: 1, user_data_64: 2n ** 64n - 1n },
      { id: 2n, ledger: 1, code: 1 },
    ]);
    const ids: readonly bigint[] = made.map(({ id }) => id);
    const transfer = { id: newId(), debit_account_id: most, credit_account_id: 2n, amount: 2n ** 100n, ledger: 1, code: 1 };
    const first = await ledger.createTransfers([transfer]);
    const again = await ledger.createTransfers([transfer]);
    const { result: [account], missing } = await ledger.lookupAccounts([most, 77n]);
    const { result: found } = await ledger.queryTransfers({ ledger: 1, limit: 10 });
    console.log(
      ids[0] === most,
      first.result[0]?.status,
      again.result[0]?.status,
      account?.debits_posted === 2n ** 100n,
      account?.user_data_64 === 2n ** 64n - 1n,
      missing[0] === 77n,
      found[0]?.amount === 2n ** 100n,
    );`,
  );
  expect({ code, stdout, stderr }).toMatchObject({
    code: 0,
    stdout: 'true created exists true true true true\n',
  });
});

test('a refusal is an error with the problem', async () => {
  const { stdout } = await program(
    'refused',
    `
    try {
      await ledger.createTransfers([{ id: 1n, debit_account_id: 1n, credit_account_id: 2n, amount: 1n, ledger: 1, code: 1 }]);
    } catch (error) {
      if (!(error instanceof LedgerhouseError)) throw error;
      console.log(error.status, error.code, error.problem?.requestId.startsWith('req_'));
    }`,
    'read',
  );
  expect(stdout).toBe('403 insufficient_scope true\n');
});

test('a mistake in a request does not compile', async () => {
  const file = join(folder, 'mistake.ts');
  writeFileSync(file, `${head}await ledger.createTransfers([{ id: 1n, amounts: 5n }]);`);
  expect((await compiled(file)).stdout).toContain("'amounts' does not exist");
});

test('transfers are made once while processes of the API are killed one after the other', async () => {
  const before = (await engine.status()).transfers;
  const [begun, over] = [join(folder, 'begun'), join(folder, 'over')];
  const running = program(
    'killed',
    `
    import { existsSync, writeFileSync } from 'node:fs';
    const account = (id: bigint) => ({ id, ledger: 2, code: 1 });
    await ledger.createAccounts([account(201n), account(202n)]);
    const statuses = new Set<string>();
    let sent = 0;
    while (!existsSync('${over}')) {
      const { result } = await ledger.createTransfers([
        { id: newId(), debit_account_id: 201n, credit_account_id: 202n, amount: 1n, ledger: 2, code: 1 },
      ]);
      sent += 1;
      for (const { status } of result) statuses.add(status);
      writeFileSync('${begun}', '');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { result: [last] } = await ledger.lookupAccounts([201n]);
    const wrong = [...statuses].filter((status) => status !== 'created' && status !== 'exists');
    console.log(JSON.stringify({ sent, wrong, posted: Number(last?.debits_posted) }));`,
  );
  await eventually('the program writes', async () => existsSync(begun) || undefined);
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) await world.replaceOne(signal);
  writeFileSync(over, '');
  const { stdout, stderr } = await running;
  expect(stderr).toBe('');
  const { sent, wrong, posted } = JSON.parse(stdout) as Record<string, unknown>;
  expect({ wrong, posted }).toEqual({ wrong: [], posted: sent });
  expect((await engine.status()).transfers - before).toBe(sent);
});
