import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bell as BellIcon } from 'lucide-react';
import { unreadQuery } from '../data/notification-queries.ts';
import styles from './Bell.module.css';
import type { ShownOrganization } from './context.ts';

/** The service counts no further than this. */
const countMax = 100;

interface Props {
  readonly organization: ShownOrganization;
  readonly onGone?: () => void;
}

/** Links to the notifications and says how many are unread. */
export function Bell({ organization, onGone }: Props) {
  const { data: unread = 0 } = useQuery(unreadQuery(organization.id));
  const count = unread >= countMax ? `${countMax}+` : String(unread);
  const label = unread === 0 ? 'Notifications' : `Notifications, ${count} unread`;
  return (
    <Link
      to="/o/$slug/notifications"
      params={{ slug: organization.slug }}
      className={styles.bell}
      aria-label={label}
      title={label}
      onClick={onGone}
    >
      <BellIcon size={18} aria-hidden />
      {unread > 0 && (
        <span className={styles.count} aria-hidden>
          {count}
        </span>
      )}
    </Link>
  );
}
