/** What the command-line tool owes the HTTP contract: a verb for each operation, and `--dry-run` for each verb that writes. */
import { expect, test } from '@jest/globals';
import { contractOperations, verbs, type Verb } from '../support/cli/verb-operations.ts';

/** Operations without a verb, and why they need none. */
const withoutVerb: Readonly<Record<string, string>> = {
  getHealth: 'load balancers ask for it; `ledgerhouse api GET /health` prints it',
  getOpenapiDocument:
    'a file for generators of clients; `ledgerhouse api GET /openapi.json` prints it',
  streamJobEvents: 'a stream for browsers; `jobs watch` asks again and again instead',
  streamLogLines: 'a stream for browsers; `logs --follow` asks again and again instead',
  scrapeDatabases: 'Prometheus asks for it, and keeps the answers',
  scrapeDatabase: 'Prometheus asks for it, and keeps the answers',
  createSavedQuery: 'a filled-in form of the dashboard; `tb` has the same filters as flags',
  listSavedQueries: 'a filled-in form of the dashboard; `tb` has the same filters as flags',
  getSavedQuery: 'a filled-in form of the dashboard; `tb` has the same filters as flags',
  updateSavedQuery: 'a filled-in form of the dashboard; `tb` has the same filters as flags',
  deleteSavedQuery: 'a filled-in form of the dashboard; `tb` has the same filters as flags',
  openAdministratorSession: 'a browser’s sign-in, with the token of the installation',
  receiveStripeEvent: 'Stripe calls it, and signs what it sends',
};

/** Operations that change nothing, although their method could. */
const reads: ReadonlySet<string> = new Set([
  'previewChange',
  'previewRestore',
  'previewInPlaceRestore',
  'queryMetrics',
  'lookupAccounts',
  'lookupTransfers',
  'getAccountTransfers',
  'getAccountBalances',
  'queryAccounts',
  'queryTransfers',
]);

/** Verbs that write and have no `--dry-run`, and why. */
const withoutDryRun: Readonly<Record<string, string>> = {
  import:
    'it sends files in parts, and most of its requests need the answer to an earlier one; --trial tries rows',
  'invitations accept': 'it would print the token of the invitation, which is a secret',
  logout: 'it also removes the sign-in from the profile, which no request shows',
};

const all = await verbs();

/** The operations that neither a verb calls nor a reason excuses. */
const untied = (operations: readonly { readonly id: string }[]): readonly string[] => {
  const called = new Set(all.flatMap((verb) => verb.operations.map(({ id }) => id)));
  return operations
    .map(({ id }) => id)
    .filter((id) => !called.has(id) && !Object.hasOwn(withoutVerb, id));
};

test('each operation of the contract has a verb of the command-line tool, or a reason why not', () => {
  expect(contractOperations().length).toBeGreaterThan(100);
  expect(untied(contractOperations())).toEqual([]);
});

test('an operation that is new and has neither is noticed', () => {
  expect(untied([...contractOperations(), { id: 'juggleDatabase' }])).toEqual(['juggleDatabase']);
});

test('a reason is about an operation that is there and has no verb', () => {
  const called = new Set(all.flatMap((verb) => verb.operations.map(({ id }) => id)));
  const operations = new Set(contractOperations().map(({ id }) => id));
  expect(Object.keys(withoutVerb).filter((id) => !operations.has(id) || called.has(id))).toEqual(
    [],
  );
  expect([...reads].filter((id) => !operations.has(id))).toEqual([]);
});

const isWriting = ({ operations }: Verb): boolean =>
  operations.some(({ id, method }) => method !== 'GET' && !reads.has(id));

const offers = ({ node, asksForDryRun }: Verb): boolean =>
  asksForDryRun && node.options.some(({ name }) => name === 'dry-run');

test('each verb that writes has --dry-run, or a reason why not', () => {
  const writing = all.filter(isWriting);
  expect(writing.length).toBeGreaterThan(60);
  expect(
    writing
      .filter((verb) => !offers(verb) && !Object.hasOwn(withoutDryRun, verb.words))
      .map(({ words }) => words),
  ).toEqual([]);
});

test('a reason for no --dry-run is about a verb that writes and has none', () => {
  const excused = all.filter((verb) => isWriting(verb) && !offers(verb));
  expect(excused.map(({ words }) => words).sort()).toEqual(Object.keys(withoutDryRun).sort());
});
