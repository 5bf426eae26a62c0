import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useOrganization } from '../../shell/context.ts';
import { useTitle } from '../../ui/Page.tsx';
import { Badge } from '../../ui/States.tsx';
import { When } from '../../ui/When.tsx';
import { standingOf } from '../databases/standing.ts';
import styles from './DatabaseFrame.module.css';
import { useDatabase } from './use-database.ts';
import { WaitingChange } from './WaitingChange.tsx';

/** The head of every page of one database: its name, its standing, and links to its pages. */
export function DatabaseFrame() {
  const { name } = useParams({ from: '/o/$slug/databases/$name' });
  const { slug } = useOrganization();
  const { database, query } = useDatabase();
  useTitle(name);
  const { word, tone } = standingOf(database);
  const isGone = database.status === 'DELETED' || database.status === 'DELETING';
  const search = isGone ? { id: database.id } : {};
  return (
    <div className={styles.frame}>
      <nav aria-label="Where this page is" className={styles.crumbs}>
        <Link to="/o/$slug/databases" params={{ slug }}>
          Databases
        </Link>
        <span aria-hidden>/</span>
      </nav>
      <header className={styles.head}>
        <h1>{name}</h1>
        <Badge tone={tone}>{word}</Badge>
        {query.isError && (
          <span className={styles.stale}>
            last answer <When at={new Date(query.dataUpdatedAt).toISOString()} />
          </span>
        )}
        {!isGone && <WaitingChange />}
      </header>
      <nav aria-label={`Pages of ${name}`} className={styles.tabs}>
        <Link
          to="/o/$slug/databases/$name"
          params={{ slug, name }}
          search={search}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          Overview
        </Link>
        {!isGone && (
          <Link to="/o/$slug/databases/$name/connect" params={{ slug, name }} search={{}}>
            Connect
          </Link>
        )}
        {!isGone && (
          <Link to="/o/$slug/databases/$name/explorer" params={{ slug, name }} search={{}}>
            Explorer
          </Link>
        )}
        {!isGone && (
          <Link to="/o/$slug/databases/$name/monitoring" params={{ slug, name }} search={{}}>
            Monitoring
          </Link>
        )}
        <Link to="/o/$slug/databases/$name/backups" params={{ slug, name }} search={search}>
          Backups
        </Link>
        {!isGone && (
          <Link to="/o/$slug/databases/$name/logs" params={{ slug, name }} search={{}}>
            Logs
          </Link>
        )}
        {!isGone && (
          <Link to="/o/$slug/databases/$name/configuration" params={{ slug, name }} search={{}}>
            Configuration
          </Link>
        )}
      </nav>
      <Outlet />
    </div>
  );
}
