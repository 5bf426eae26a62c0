/** `--dry-run` of each verb that has it, against the real API: the request is printed, and nothing but reads is sent. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { defaultSlug, findOrganizationBySlug } from '../../../api/store/organizations.ts';
import { Store } from '../../../api/store/store.ts';
import { PeopleService } from '../../support/api/people-service.ts';
import { makeDatabase, patient, silent } from '../../support/api/store.ts';
import { accessToken } from '../../support/cli/access-token.ts';
import { Cli } from '../../support/cli/cli.ts';
import { shellWords } from '../../support/cli/shell-words.ts';
import { verbs } from '../../support/cli/verb-operations.ts';
import { FaultyProxy, passes } from '../../support/store/faulty-proxy.ts';

let service: PeopleService;
let proxy: FaultyProxy;
let store: Store;
let cli: Cli;
/** Requests that may have changed something. */
const writes: string[] = [];

beforeAll(async () => {
  service = await PeopleService.start();
  store = new Store({ url: service.databaseUrl, logger: silent, ...patient });
  proxy = await FaultyProxy.start(Number(new URL(service.url).port));
  proxy.fault = (method, path) => {
    if (method !== 'GET') writes.push(`${method} ${path}`);
    return passes;
  };
  cli = new Cli({
    LEDGERHOUSE_BASE_URL: proxy.url,
    LEDGERHOUSE_API_KEY: await accessToken(service.url, await service.administrator()),
  });
  const organization = await findOrganizationBySlug(store.read, defaultSlug);
  if (organization === undefined) throw new Error('there is no organization');
  for (const name of ['payments-prod', 'payments-dev']) {
    await makeDatabase(store, organization, name);
  }
});
afterAll(async () => {
  cli?.remove();
  await proxy?.close();
  await store?.close();
  await service?.stop();
});

/** In the place of examples that ask first for things that this service has not. */
const others: Readonly<Record<string, string>> = {
  'databases restore': 'databases restore db_01jd8f3zk5e0v9t3m2q6r8w4xy --name payments-2',
  'cdc update': 'cdc update payments-prod chs_01jd8f3zk5e0v9t3m2q6r8w4xy --description other',
  'billing update': 'billing update --spend-limit none',
};

const cases = (await verbs()).filter(({ node }) =>
  node.options.some(({ name }) => name === 'dry-run'),
);

test.each(
  cases.map(({ words, node }) => [words, others[words] ?? node.examples[0].command] as const),
)('%s prints its request and sends nothing', async (_words, example) => {
  const { code, stdout, stderr } = await cli.run([...shellWords(example), '--dry-run']);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^(POST|PUT|PATCH|DELETE|GET) ${proxy.url}/api/v1/\\S+\n`));
  expect(stdout).toContain('\nauthorization: Bearer (redacted)\n');
  expect(writes).toEqual([]);
});

test('a dry run neither asks for the password of a broker nor shows one', async () => {
  const words = 'cdc create payments-prod amqps://broker.example.com/l --username ledger --dry-run';
  const { code, stdout, stderr } = await cli.run(shellWords(words), { stdin: 'of-the-broker' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('"password":"(redacted)"');
  expect(writes).toEqual([]);
});
