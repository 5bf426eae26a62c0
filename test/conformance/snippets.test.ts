/**
 * The snippets of docs/connect as users run them: installed from the registries, run by `ledgerhouse connect` through a tunnel over
 * TLS, and seen by the connection check. A language whose tools are missing is skipped with a reason; .NET always is, since its
 * page is checked against the client's documentation only.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CheckIds } from '../../api/connections/check-ids.ts';
import { snippetFor } from '../../api/connections/snippets.ts';
import type { ConnectionLanguage } from '../../api/model/connection-check.ts';
import { SigningKeys } from '../../api/store/signing-keys.ts';
import { TunnelWorld, tunnelDatabaseId } from '../support/api/tunnel-world.ts';
import { TestEngine } from '../support/engine/engine.ts';
import { checkout, eventually, mustRun, shell } from '../support/shell.ts';

/** Most of it is the compilers', on a machine that has compiled nothing of it yet. */
const stepMaxMs = 600_000;
jest.setTimeout(2 * stepMaxMs + 60_000);

const tools: Readonly<Partial<Record<ConnectionLanguage, readonly string[]>>> = {
  node: ['node', 'npm'],
  go: ['go', 'cc'],
  java: ['java', 'mvn'],
  python: ['python3'],
  rust: ['cargo', 'cc'],
  curl: ['curl'],
  cli: ['node'],
};
const ids = new CheckIds(new SigningKeys([Buffer.alloc(32, 1)]));
let folder = '';
let engine: TestEngine;
let world: TunnelWorld;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-snippets-'));
  engine = await TestEngine.create();
  world = await TunnelWorld.start({ addresses: [`127.0.0.1:${engine.port}`] });
});
afterAll(async () => {
  await world.stop();
  await engine.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function missingTool(names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    if ((await shell('sh', ['-c', `command -v ${name}`])).code !== 0) return name;
  }
  return undefined;
}

const rows = await Promise.all(
  Object.entries(tools).map(async ([language, names]) => ({
    language: language as ConnectionLanguage,
    missing: await missingTool(names),
  })),
);

for (const { language, missing } of rows) {
  if (missing !== undefined) {
    process.stderr.write(`skipped: the snippet for ${language} needs ${missing}\n`);
  }
  (missing === undefined ? test : test.skip)(
    `the snippet for ${language} is verified`,
    async () => {
      const accountId = ids.make(tunnelDatabaseId);
      const snippet = snippetFor(language, {
        database: tunnelDatabaseId,
        databaseId: tunnelDatabaseId,
        baseUrl: world.url,
        accountId: String(accountId),
      });
      const place = join(folder, language);
      mkdirSync(place);
      const env = {
        ...world.environment('full'),
        ...snippet.environment,
        CURL_CA_BUNDLE: join(world.folder, 'ca.crt'),
        PATH: `${checkout}/bin:${process.env['PATH'] ?? ''}`,
      };
      const run = (script: string) =>
        mustRun('sh', ['-ec', `cd ${place}\n${script}`], { env, timeoutMs: stepMaxMs });
      // Registries are reached as the machine reaches them; the test's authority is for the service only.
      if (snippet.install !== null) {
        await mustRun('sh', ['-ec', `cd ${place}\n${snippet.install}`], { timeoutMs: stepMaxMs });
      }
      if (snippet.file !== null) {
        const path = join(place, snippet.file.name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, snippet.file.content);
      }
      const said = await run(snippet.run);
      if (snippet.file !== null) expect(said).toContain('connected; 0 accounts found');
      const seen = await eventually('the check is verified', async () =>
        world.log
          .split('\n')
          .find((line) => line.includes('"msg":"verified"') && line.includes(String(accountId))),
      );
      const { lookup } = JSON.parse(seen) as { lookup: Record<string, unknown> };
      expect(lookup).toMatchObject(
        snippet.file === null
          ? { via: 'http', latencyMs: expect.any(Number), client: expect.any(String) }
          : {
              via: 'tunnel',
              latencyMs: expect.any(Number),
              clientVersion: expect.stringMatching(/^0\.1[67]\.\d+$/),
            },
      );
    },
  );
}
