/** The places that the palette links to, and the list of shortcuts. */
import type { Database, Session } from '../../../gen/api.ts';
import type { Right, ShownOrganization } from './context.ts';

export interface Command {
  readonly title: string;
  /** Kind of place, shown at the end of the line. */
  readonly kind: string;
  /** `undefined`: the list of shortcuts, which is no place. */
  readonly href: string | undefined;
}

/** Pages of an organization; those without a right are for everybody. */
const pages: readonly (readonly [title: string, path: string, right?: Right])[] = [
  ['Databases', 'databases', 'readDatabases'],
  ['New database', 'databases/new', 'createDatabase'],
  ['API keys', 'settings/keys', 'manageOwnKeys'],
  ['Members and invitations', 'settings/members', 'manageMembers'],
  ['Webhooks', 'settings/webhooks', 'manageWebhooks'],
  ['Webhook deliveries', 'settings/webhooks/deliveries', 'manageWebhooks'],
  ['Audit log', 'settings/audit', 'readAuditLog'],
  ['Billing', 'settings/billing', 'manageBilling'],
  ['Organization', 'settings/organization'],
];

/** Pages of each database. */
const databasePages: readonly (readonly [title: string, path: string])[] = [
  ['connect', 'connect'],
  ['explorer', 'explorer'],
  ['new transfer', 'explorer/new-transfer'],
  ['new account', 'explorer/new-account'],
  ['trial balance', 'explorer/trial-balance'],
  ['ledgers', 'explorer/ledgers'],
  ['monitoring', 'monitoring'],
  ['logs', 'logs'],
  ['backups', 'backups'],
  ['configuration', 'configuration'],
];

type Named = Pick<Database, 'name'>;

/** A database, and its pages. */
const commandsOf = (base: string, { name }: Named): readonly Command[] => [
  { title: name, kind: 'Database', href: `${base}/databases/${name}` },
  ...databasePages.map(([title, path]) => ({
    title: `${name}: ${title}`,
    kind: 'Page',
    href: `${base}/databases/${name}/${path}`,
  })),
];

/** `others`: databases that come after everything else, because it is their pages that may be meant. */
export function commandsFor(
  session: Session,
  organization: ShownOrganization | undefined,
  databases: readonly Named[],
  others: readonly Named[] = [],
): readonly Command[] {
  const base = `/o/${organization?.slug}`;
  const own =
    organization === undefined
      ? []
      : [
          ...databases.flatMap((one) => commandsOf(base, one)),
          ...pages
            .filter(([, , right]) => right === undefined || organization.rights.includes(right))
            .map(([title, path]) => ({ title, kind: 'Page', href: `${base}/${path}` })),
        ];
  const elsewhere = session.organizations
    .filter(({ slug }) => slug !== organization?.slug)
    .map(({ name, slug }) => ({ title: name, kind: 'Organization', href: `/o/${slug}/databases` }));
  const notifications =
    organization === undefined
      ? []
      : [{ title: 'Notifications', kind: 'Page', href: `${base}/notifications` }];
  return [
    ...own,
    ...notifications,
    { title: 'Account and sessions', kind: 'Page', href: '/account' },
    { title: 'Organizations', kind: 'Page', href: '/organizations' },
    { title: 'Keyboard shortcuts', kind: 'Help', href: undefined },
    ...elsewhere,
    ...others.flatMap((one) => commandsOf(base, one)),
  ];
}

/** Commands whose title has all the words that were typed. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/);
  return commands.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
}
