import { Menu } from '@base-ui/react/menu';
import { useNavigate } from '@tanstack/react-router';
import { Check, List, Plus } from 'lucide-react';
import type { Session } from '../../../gen/api.ts';
import { said } from '../lib/said.ts';
import type { ShownOrganization } from './context.ts';
import styles from './Menu.module.css';
import { OrganizationName } from './OrganizationName.tsx';

export interface MenuProps {
  readonly session: Session;
  readonly organization: ShownOrganization | undefined;
}

/** Switches between the person's organizations. */
export function OrganizationMenu({ session, organization }: MenuProps) {
  const navigate = useNavigate();
  return (
    <Menu.Root>
      <Menu.Trigger className={styles.trigger}>
        <OrganizationName organization={organization} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={styles.positioner} align="start" sideOffset={4}>
          <Menu.Popup className={styles.popup} aria-label="Organizations">
            {session.organizations.map(({ id, name, slug, role }) => (
              <Menu.Item
                key={id}
                className={styles.item}
                onClick={() => void navigate({ to: '/o/$slug/databases', params: { slug } })}
              >
                <span className={styles.label}>
                  <bdi>{said(name)}</bdi>
                  <small>{role}</small>
                </span>
                {id === organization?.id && <Check size={16} aria-label="shown now" />}
              </Menu.Item>
            ))}
            <Menu.Item
              className={styles.item}
              onClick={() => void navigate({ to: '/organizations' })}
            >
              <List size={16} aria-hidden />
              <span className={styles.label}>All organizations</span>
            </Menu.Item>
            {session.user?.administrator === true && (
              <Menu.Item
                className={styles.item}
                onClick={() => void navigate({ to: '/organizations/new' })}
              >
                <Plus size={16} aria-hidden />
                <span className={styles.label}>New organization</span>
              </Menu.Item>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
