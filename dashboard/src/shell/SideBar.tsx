import { Link } from '@tanstack/react-router';
import {
  BookOpen,
  Building2,
  CreditCard,
  Database,
  Keyboard,
  KeyRound,
  ScrollText,
  Search,
  UserRound,
  Users,
  Webhook,
  type LucideIcon,
} from 'lucide-react';
import { lazy, Suspense, type ComponentType } from 'react';
import type { Session } from '../../../gen/api.ts';
import { said } from '../lib/said.ts';
import { orElse } from '../lib/or-else.ts';
import type { Zone } from '../lib/time.ts';
import { Bell } from './Bell.tsx';
import type { Right, ShownOrganization } from './context.ts';
import { OrganizationLink } from './OrganizationLink.tsx';
import type { MenuProps } from './OrganizationMenu.tsx';
import type { Overlay } from './Overlays.tsx';
import { Preferences } from './Preferences.tsx';
import styles from './SideBar.module.css';

/** A page can be used before its menus can be opened. */
const OrganizationMenu = lazy(async () => ({
  default: await orElse<ComponentType<MenuProps>>(
    async () => (await import('./OrganizationMenu.tsx')).OrganizationMenu,
    OrganizationLink,
  ),
}));

interface Entry {
  readonly to:
    | '/o/$slug/databases'
    | '/o/$slug/settings/keys'
    | '/o/$slug/settings/members'
    | '/o/$slug/settings/webhooks'
    | '/o/$slug/settings/audit'
    | '/o/$slug/settings/billing'
    | '/o/$slug/settings/organization';
  readonly title: string;
  readonly icon: LucideIcon;
  /** Without one, the page is for everybody. */
  readonly right?: Right;
}

const entries: readonly Entry[] = [
  { to: '/o/$slug/databases', title: 'Databases', icon: Database, right: 'readDatabases' },
  { to: '/o/$slug/settings/keys', title: 'API keys', icon: KeyRound, right: 'manageOwnKeys' },
  { to: '/o/$slug/settings/members', title: 'Members', icon: Users, right: 'manageMembers' },
  { to: '/o/$slug/settings/webhooks', title: 'Webhooks', icon: Webhook, right: 'manageWebhooks' },
  { to: '/o/$slug/settings/audit', title: 'Audit log', icon: ScrollText, right: 'readAuditLog' },
  { to: '/o/$slug/settings/billing', title: 'Billing', icon: CreditCard, right: 'manageBilling' },
  { to: '/o/$slug/settings/organization', title: 'Organization', icon: Building2 },
];

interface SideBarProps {
  readonly session: Session;
  readonly organization: ShownOrganization | undefined;
  readonly open: boolean;
  readonly zone: Zone;
  readonly onZone: (zone: Zone) => void;
  readonly onOpen: (overlay: Overlay) => void;
  /** Called when a link was followed: on a narrow screen the bar gives way to the page. */
  readonly onGone: () => void;
}

export function SideBar({
  session,
  organization,
  open,
  zone,
  onZone,
  onOpen,
  onGone,
}: SideBarProps) {
  return (
    <div id="side" className={`${styles.side} ${open ? styles.open : ''}`}>
      <div className={styles.head}>
        <div className={styles.name}>
          <span className={styles.brand}>Ledgerhouse</span>
          {organization !== undefined && <Bell organization={organization} />}
        </div>
        <Suspense fallback={<OrganizationLink organization={organization} />}>
          <OrganizationMenu session={session} organization={organization} />
        </Suspense>
        <button type="button" className={styles.search} onClick={() => onOpen('palette')}>
          <Search size={15} aria-hidden />
          <span>Search</span>
          <kbd>Ctrl K</kbd>
        </button>
      </div>
      <nav aria-label="Pages" className={styles.nav}>
        {organization !== undefined &&
          entries
            .filter(({ right }) => right === undefined || organization.rights.includes(right))
            .map(({ to, title, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                params={{ slug: organization.slug }}
                className={styles.link}
                onClick={onGone}
              >
                <Icon size={17} aria-hidden />
                {title}
              </Link>
            ))}
      </nav>
      <div className={styles.foot}>
        <a href="/docs/openapi" className={styles.link}>
          <BookOpen size={17} aria-hidden />
          API reference
        </a>
        <button type="button" className={styles.link} onClick={() => onOpen('shortcuts')}>
          <Keyboard size={17} aria-hidden />
          <span className={styles.grows}>Keyboard shortcuts</span>
          <kbd>?</kbd>
        </button>
        <Link to="/account" className={styles.link} onClick={onGone}>
          <UserRound size={17} aria-hidden />
          <bdi className={styles.person}>
            {said(session.user?.display ?? session.credential.name)}
          </bdi>
        </Link>
        <Preferences zone={zone} onZone={onZone} />
        <small className={styles.version}>Version {session.service.version}</small>
      </div>
    </div>
  );
}
