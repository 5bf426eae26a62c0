import { useInfiniteQuery } from '@tanstack/react-query';
import { said } from '../../lib/said.ts';
import { revisionsQuery } from '../../data/configuration-queries.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Badge, Skeleton } from '../../ui/States.tsx';
import { When } from '../../ui/When.tsx';
import styles from '../database/DatabaseFrame.module.css';
import { useDatabase } from '../database/use-database.ts';
import { diffWords } from './words.ts';

/** Earlier configurations; each can be requested again. */
export function Revisions({ onBack }: { readonly onBack: (revision: number) => void }) {
  const { database, organizationId } = useDatabase();
  const list = useInfiniteQuery(revisionsQuery(organizationId, database.id));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Card title="Revisions">
      <Failed read={list} />
      {list.isPending && <Skeleton lines={2} />}
      <ul className={styles.stack}>
        {rows.map(({ revision, active, diff, actor, createdAt }) => (
          <li key={revision} className={styles.change}>
            <div className={styles.danger}>
              <span>
                <strong>{revision}</strong> {diff.length === 0 ? 'as it was made' : diffWords(diff)}
              </span>
              {active ? (
                <Badge tone="good">active</Badge>
              ) : (
                <Button small onClick={() => onBack(revision)}>
                  Go back to {revision}
                </Button>
              )}
            </div>
            <p className={styles.soft}>
              {actor !== null && `By ${said(actor.display)} `}
              <When at={createdAt} />
            </p>
          </li>
        ))}
      </ul>
      <More list={list} count={rows.length} what="revisions" />
    </Card>
  );
}
