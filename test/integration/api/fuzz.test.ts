/**
 * Requests that nobody thought of: Schemathesis makes them out of the document that the API serves, to a whole service with a
 * ledger behind it. No answer is a 5xx or outside the document, what breaks the document is refused, and nothing that it
 * allows is malformed. `LEDGERHOUSE_FUZZ_SEED` makes it another run, `LEDGERHOUSE_FUZZ_EXAMPLES` a longer one. Of the requests
 * for the document's bounds one in `LEDGERHOUSE_FUZZ_SHARE` is sent; `make soak` sends all of them.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { routes } from '../../../api/contract/routes.ts';
import type { CreatedDatabase } from '../../../gen/api.ts';
import { fuzz } from '../../support/api/schemathesis/schemathesis.ts';
import {
  TestService,
  bootstrapToken,
  signingKey,
  type Headers,
} from '../../support/api/service.ts';
import { eventually, type Ended } from '../../support/shell.ts';

jest.setTimeout(30 * 60_000);

const seed = Number(process.env['LEDGERHOUSE_FUZZ_SEED'] ?? 1);
const examples = Number(process.env['LEDGERHOUSE_FUZZ_EXAMPLES'] ?? 5);
const share = Number(process.env['LEDGERHOUSE_FUZZ_SHARE'] ?? 4);
const unlimited = '9999999';
let service: TestService;
let key: string;
let kept: CreatedDatabase;
let ids: Record<string, Record<string, string>>;

beforeAll(async () => {
  process.stderr.write(`seed: LEDGERHOUSE_FUZZ_SEED=${seed}\n`);
  service = await TestService.start({
    settings: {
      BACKUPS: 'on',
      CONTROL_REQUESTS_PER_MINUTE: unlimited,
      LEDGER_REQUESTS_PER_SECOND: unlimited,
      WRONG_CREDENTIALS_PER_MINUTE: unlimited,
    },
  });
  key = (await service.makeKey(['db:read', 'db:write'])).secret;
  const doomedKey = await service.makeKey(['db:read']);
  const headers = { 'x-api-key': key };
  kept = await service.createDatabase(headers, { name: 'kept' });
  const doomed = await service.createDatabase(headers, { name: 'doomed' });
  await service.startEngine(kept.database);
  await eventually('the ledger answers', async () => {
    const url = `${service.url}/api/v1/databases/${kept.database.id}/tb/query_accounts`;
    const json = { ...headers, 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers: json, body: '{}' });
    if (!answer.ok) throw new Error(await answer.text());
    return true;
  });
  const ofDoomed = { databaseId: doomed.database.id };
  ids = {
    all: {
      databaseId: kept.database.id,
      jobId: kept.job.id,
      keyId: doomedKey.apiKey.id,
      organizationId: kept.database.organizationId,
    },
    deleteDatabase: ofDoomed,
    restoreDatabase: ofDoomed,
  };
});
afterAll(() => service?.stop());

/** Requests that the document allows and that are refused anyway: the callers that they are refused to, and what the store tells. */
const configuration = (organizationId: string) => `
[parameters]
"header.X-Organization-Id" = "${organizationId}"
[checks]
positive_data_acceptance = { expected-statuses = ["2xx", 304, 401, 403, 404, 409, 412, 422] }
[[operations]]
# A cursor is one that an answer gave.
include-operation-id-regex = "^(list(?!Usage$|Invoices$)|exportAuditEvents$)"
checks = { positive_data_acceptance = { expected-statuses = ["2xx", 400, 401, 403, 404] } }
[[operations]]
# This service bills nobody, and says so.
include-operation-id-regex = "^list(Usage|Invoices)$"
checks = { positive_data_acceptance = { expected-statuses = ["2xx", 400, 401, 403, 404, 409] } }
[[operations]]
# Mail has limits that no configuration lifts.
include-operation-id-regex = "^(create|resend)Invitation$"
checks = { positive_data_acceptance = { expected-statuses = ["2xx", 401, 403, 404, 409, 412, 422, 429] } }
[[operations]]
# An endpoint is tested once in a while.
include-operation-id = "testWebhookEndpoint"
checks = { positive_data_acceptance = { expected-statuses = ["2xx", 401, 403, 404, 409, 422, 429] } }
[[operations]]
# Only a WebSocket is opened here, and OpenAPI cannot say so.
include-operation-id = "openTunnel"
checks = { positive_data_acceptance = { expected-statuses = [401, 403, 404, 409, 422, 426] } }
[[operations]]
# It waits as long as it is asked to.
include-operation-id = "getConnectionCheck"
checks = { max_response_time = 29 }
[[operations]]
# It has no end.
include-operation-id = "streamLogLines"
enabled = false
[[operations]]
# It would end the session that all others need.
include-operation-id = "closeSession"
enabled = false
`;

const run = (headers: Headers, options: readonly string[] = []): Promise<Ended> =>
  fuzz({
    url: `${service.url}/api/v1/openapi.json`,
    folder: service.folder,
    headers,
    seed,
    examples,
    share,
    ids,
    configuration: configuration(kept.database.organizationId),
    options,
  });

/** Fails with the findings and their requests, if there are any. */
function judge({ code, stdout, stderr }: Ended, casesMin: number): void {
  if (code !== 0) throw new Error(`seed ${seed}: ${stdout.slice(-20_000)}${stderr}`);
  // That it tried at all.
  expect(Number(/(\d+) generated/.exec(stdout)?.[1] ?? 0)).toBeGreaterThan(casesMin);
}

test('with a key for everything, every answer is as the document says', async () => {
  judge(await run({ 'x-api-key': key }), 2_000);
});

test('with a session, so is what only a person may do', async () => {
  const personal = Object.entries(routes).filter(([, { access }]) => access.kind === 'person');
  const only = personal.map(([id]) => `--include-operation-id=${id}`);
  judge(await run(await service.administrator(), only), 100);
});

test('without a credential, nothing is answered but that there is none', async () => {
  judge(await run({}, ['--phases=examples,fuzzing']), 50);
});

test('the process lives, answered no 500, and logged no secret', async () => {
  expect(service.apiExitCode).toBeUndefined();
  const lines = service.log.split('\n').filter((line) => line !== '');
  expect(lines.length).toBeGreaterThan(2_000);
  expect(lines.filter((line) => /"level":[56]0|internal_error/.test(line))).toEqual([]);
  const { cookie = '' } = await service.administrator();
  const session = /__Host-session=([^;]+)/.exec(cookie)?.[1] ?? 'none';
  for (const secret of [key, session, bootstrapToken, signingKey])
    expect(service.log).not.toContain(secret);
});

test('the ledger still keeps its books', async () => {
  const url = `${service.url}/api/v1/databases/${kept.database.id}/tb`;
  const ask = async (operation: string, body: unknown) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await (await fetch(`${url}/${operation}`, request)).json()) as {
      readonly result: readonly Readonly<Record<string, string>>[];
    };
  };
  const { result } = await ask('query_accounts', { limit: 8_189 });
  expect(result.length).toBeGreaterThan(0);
  const sums = new Map<string, bigint>();
  for (const { ledger = '', debits_posted = '', credits_posted = '' } of result) {
    sums.set(ledger, (sums.get(ledger) ?? 0n) + BigInt(debits_posted) - BigInt(credits_posted));
  }
  expect([...sums.values()].filter((sum) => sum !== 0n)).toEqual([]);
});
