/** The arrows between folders are rules, not advice: a wrong import does not pass the linter. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkout, shell } from '../support/shell.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-arrows-'));
  for (const file of ['.oxlintrc.json', 'tsconfig.json', 'package.json']) {
    cpSync(join(checkout, file), join(folder, file));
  }
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lints one file in an otherwise empty repository. */
async function lint(path: string, source: string): Promise<{ code: number; said: string }> {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, source);
  const { code, stdout, stderr } = await shell(join(checkout, 'node_modules/.bin/oxlint'), [
    '--deny-warnings',
    '-c',
    join(folder, '.oxlintrc.json'),
    file,
  ]);
  rmSync(file);
  return { code, said: stdout + stderr };
}

test.each([
  ['base/clock.ts', '../domain/names.ts'],
  ['domain/names.ts', '../operator/plan.ts'],
  ['engine/replica/replica.ts', '../../api/http/app.ts'],
  ['engine/ledger/state.ts', 'node:fs'],
  ['engine/ledger/state.ts', '../log/log.ts'],
  ['engine/wire/header.ts', 'pino'],
  ['operator/plan.ts', '../engine/ledger/state.ts'],
  ['operator/plan.ts', '../api/store/rows.ts'],
  ['api/gateway.ts', '../engine/ledger/state.ts'],
  ['api/gateway.ts', '../operator/plan.ts'],
  ['cli/main.ts', '../engine/client/client.ts'],
  ['cli/main.ts', '../api/api.ts'],
  ['cli/http/request.ts', '../../api/store/rows.ts'],
  ['cli/handlers/tb.ts', '../../api/contract/schemas/ledger.ts'],
  ['dashboard/main.ts', '../api/contract/routes.ts'],
  ['dashboard/src/main.ts', '../../domain/names.ts'],
  ['api/client/tunnel.ts', '../http/app.ts'],
  ['api/client/tunnel.ts', '../../domain/names.ts'],
  ['api/http/app.ts', '../../clients/typescript/src/client.ts'],
  ['clients/typescript/src/client.ts', '../../../api/client/tunnel.ts'],
  ['clients/typescript/src/client.ts', 'node:fs'],
  ['api/model/job.ts', '../store/jobs.ts'],
  ['api/model/job.ts', '../contract/routes.ts'],
  ['api/ledger/decode.ts', '../contract/routes.ts'],
  ['api/ledger/decode.ts', '../../engine/client/client.ts'],
  ['api/store/jobs.ts', '../contract/routes.ts'],
  ['api/store/jobs.ts', '../jobs/worker.ts'],
  ['api/store/migrations/0001-start.ts', '../../contract/routes.ts'],
  ['api/contract/routes.ts', '../store/jobs.ts'],
  ['api/contract/routes/jobs.ts', '../../jobs/worker.ts'],
  ['api/auth/principal.ts', '../http/gate.ts'],
  ['api/auth/principal.ts', '../keys/handlers.ts'],
  ['api/http/gate.ts', '../databases/create.ts'],
  ['api/http/gate.ts', '../api.ts'],
  ['api/databases/create.ts', '../api.ts'],
])('%s may not import %s', async (path, imported) => {
  const { code, said } = await lint(
    path,
    `import { x } from '${imported}';\nexport const y = x;\n`,
  );
  expect(said).toContain('no-restricted-imports');
  expect(code).not.toBe(0);
});

test.each([
  ['engine/replica/replica.ts', '../ledger/state.ts'],
  ['operator/plan.ts', '../domain/names.ts'],
  ['api/gateway.ts', '../engine/client/client.ts'],
  ['cli/main.ts', '../api/client/tunnel.ts'],
  ['cli/main.ts', '../clients/typescript/src/client.ts'],
  ['cli/handlers/databases.ts', '../../gen/api.ts'],
  ['cli/main.ts', './handlers/api.ts'],
  ['cli/handlers/imports.ts', '../../domain/import-files/file-head.ts'],
  ['dashboard/src/main.ts', '../../domain/import-files/file-head.ts'],
  ['dashboard/src/main.ts', '../../domain/restores/warnings.ts'],
  ['clients/typescript/src/client.ts', '../../../gen/api.ts'],
  ['api/model/job.ts', '../../domain/names.ts'],
  ['api/ledger/decode.ts', '../model/ledger-problems.ts'],
  ['api/ledger/decode.ts', '../../engine/wire/records.ts'],
  ['api/store/jobs.ts', '../model/job.ts'],
  ['api/store/migrations/0001-start.ts', '../tables.ts'],
  ['api/contract/routes/jobs.ts', '../../model/job.ts'],
  ['api/contract/routes/jobs.ts', '../schemas/job.ts'],
  ['api/auth/principal.ts', '../contract/routes.ts'],
  ['api/http/gate.ts', '../auth/principal.ts'],
  ['api/databases/create.ts', '../jobs/worker.ts'],
  ['api/api.ts', './databases/create.ts'],
])('%s may import %s', async (path, imported) => {
  const { said } = await lint(path, `import { x } from '${imported}';\nexport const y = x;\n`);
  expect(said).not.toContain('no-restricted-imports');
});

test('only a config.ts reads the environment', async () => {
  const source = 'export const port = process.env["PORT"];\n';
  expect((await lint('operator/main.ts', source)).said).toContain('no-process-env');
  expect((await lint('operator/config.ts', source)).said).not.toContain('no-process-env');
});
