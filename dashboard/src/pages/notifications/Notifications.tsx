import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { said } from '../../lib/said.ts';
import type { Notification } from '../../../../gen/api.ts';
import { notificationsQuery, readThrough, renew } from '../../data/notification-queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Badge, Empty, Outdated, Skeleton } from '../../ui/States.tsx';
import { table } from '../../ui/Table.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { When } from '../../ui/When.tsx';
import { placeOf, titleOf, toneOf } from './kinds.ts';
import styles from './Notifications.module.css';
import { Preferences } from './Preferences.tsx';

const path = '/o/$slug/notifications';
const tabs = [
  ['all', 'All'],
  ['unread', 'Unread'],
  ['preferences', 'Preferences'],
] as const;

/** A person's notifications, the newest first, and their preferences. */
export function Notifications() {
  const { view = 'all' } = useSearch({ from: path });
  const navigate = useNavigate({ from: path });
  return (
    <Page
      title="Notifications"
      about="Events of the last 90 days that you should look at, without your own and without those that you muted."
    >
      <Tabs
        label="Notifications"
        tabs={tabs}
        chosen={view}
        onChoose={(next) =>
          void navigate({ search: next === 'all' ? {} : { view: next }, replace: true })
        }
      >
        {view === 'preferences' ? (
          <Preferences />
        ) : (
          <List key={view} unreadOnly={view === 'unread'} />
        )}
      </Tabs>
    </Page>
  );
}

function List({ unreadOnly }: { readonly unreadOnly: boolean }) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const list = useInfiniteQuery(notificationsQuery(organization.id, unreadOnly));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const read = useMutation({
    mutationFn: (sequence: string) => readThrough(organization.id, sequence),
    onSuccess: ({ data }) => say(data.unread === 0 ? 'All are read' : `${data.unread} are unread`),
    onSettled: () => renew(queryClient, organization.id),
  });
  const newest = rows.find((row) => !row.read);
  return (
    <div className={styles.stack}>
      <Failed read={list} />
      {read.isError && <Problem error={read.error} />}
      {list.isPending && <Skeleton lines={6} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty title={unreadOnly ? 'Nothing is unread' : 'No notification'}>
          Trouble of a database, a failed change, a key that expires: such things appear here.
        </Empty>
      )}
      {newest !== undefined && (
        <p className={table.more}>
          Reading one counts those before it as read, too.
          <Button small busy={read.isPending} onClick={() => read.mutate(newest.sequence)}>
            Mark all as read
          </Button>
        </p>
      )}
      {rows.length > 0 && (
        <Outdated when={list.isPlaceholderData}>
          <ul className={styles.list} aria-label="Notifications">
            {rows.map((row) => (
              <Row key={row.id} row={row} onRead={() => read.mutate(row.sequence)} />
            ))}
          </ul>
        </Outdated>
      )}
      <More list={list} count={rows.length} what="notifications" />
    </div>
  );
}

interface RowProps {
  readonly row: Notification;
  readonly onRead: () => void;
}

function Row({ row, onRead }: RowProps) {
  const { slug } = useOrganization();
  const place = placeOf(slug, row);
  return (
    <li className={row.read ? styles.row : styles.unread}>
      <div className={styles.what}>
        <p>{place === undefined ? row.summary : <Link to={place}>{row.summary}</Link>}</p>
        <p className={table.soft}>
          <Badge tone={toneOf(row.type)}>{titleOf(row.kind)}</Badge> <When at={row.occurredAt} />,
          by {said(row.actor.display)}
        </p>
      </div>
      {row.read ? (
        <span className={table.soft}>read</span>
      ) : (
        <Button small aria-label={`Mark as read: ${row.summary}`} onClick={onRead}>
          Mark as read
        </Button>
      )}
    </li>
  );
}
