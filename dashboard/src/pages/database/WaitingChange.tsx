import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { changesQuery } from '../../data/configuration-queries.ts';
import { Badge, Skeleton } from '../../ui/States.tsx';
import { changeTones, diffWords } from '../configuration/words.ts';
import styles from './DatabaseFrame.module.css';
import { useDatabase } from './use-database.ts';

/** The change that is being applied or waits, on every page of its database, beside its name: the page stays where it is when it comes. */
export function WaitingChange() {
  const params = useParams({ from: '/o/$slug/databases/$name' });
  const { database, organizationId } = useDatabase();
  const changes = useQuery(changesQuery(organizationId, database.id));
  const open = changes.data?.find(({ status }) => status === 'APPLYING' || status === 'QUEUED');
  if (changes.isPending) return <Skeleton inline />;
  if (open === undefined) return null;
  return (
    <p className={styles.waiting}>
      <Badge tone={changeTones[open.status]}>{`change ${open.status.toLowerCase()}`}</Badge>{' '}
      <Link to="/o/$slug/databases/$name/configuration" params={params} search={{}}>
        {diffWords(open.diff)}
      </Link>
    </p>
  );
}
