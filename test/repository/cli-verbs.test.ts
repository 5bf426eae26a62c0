/** What the command-line tool owes the HTTP contract: `--dry-run` for each verb that writes. */
import { expect, test } from '@jest/globals';
import { verbs, type Verb } from '../support/cli/verb-operations.ts';

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
