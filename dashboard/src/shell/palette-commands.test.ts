import { expect, test } from '@jest/globals';
import type { Session } from '../../../gen/api.ts';
import { commandsFor, matching } from './palette-commands.ts';

const organization = (slug: string, rights: Session['organizations'][number]['rights']) =>
  ({
    id: `org_${slug}`,
    name: slug.toUpperCase(),
    slug,
    rights,
  }) as Session['organizations'][number];

const acme = organization('acme', ['readDatabases']);
const session = { organizations: [acme, organization('other', [])] } as unknown as Session;

test('the palette leads to databases, pages that the caller may see, and other organizations', () => {
  const titles = commandsFor(session, acme, [{ name: 'payments' }]).map(({ title }) => title);
  expect(titles).toEqual([
    'payments',
    'payments: connect',
    'payments: explorer',
    'payments: new transfer',
    'payments: new account',
    'payments: trial balance',
    'payments: ledgers',
    'payments: monitoring',
    'payments: logs',
    'payments: backups',
    'payments: configuration',
    'Databases',
    'Organization',
    'Notifications',
    'Account and sessions',
    'Organizations',
    'Keyboard shortcuts',
    'OTHER',
  ]);
});

test('databases whose pages may be meant come after everything else', () => {
  const commands = commandsFor(session, acme, [], [{ name: 'payments' }]);
  expect(matching(commands, 'conf').map(({ title }) => title)).toEqual(['payments: configuration']);
  expect(commands.at(-11)?.title).toBe('payments');
});

test('all words must be in the title, in any order', () => {
  const commands = commandsFor(session, acme, [{ name: 'payments' }]);
  expect(matching(commands, 'expl pay').map(({ href }) => href)).toEqual([
    '/o/acme/databases/payments/explorer',
  ]);
});
