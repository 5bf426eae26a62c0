import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Moment, RecoveryWindow } from '../../../../gen/api.ts';
import { windowQuery } from '../../data/recovery-queries.ts';
import { shownFigure } from '../../lib/figures.ts';
import { useOrganization } from '../../shell/context.ts';
import { buttonClass } from '../../ui/Button.tsx';
import form from '../../ui/Form.module.css';
import { Card, Facts } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { Exactly } from '../../ui/When.tsx';
import styles from '../database/DatabaseFrame.module.css';
import { useDatabase } from '../database/use-database.ts';

/** Place of the page that restores to a moment, in the place of a backup's ID. */
export const MOMENT = 'moment';

/** From when to when a database can be restored to any moment, and the way there. */
export function RecoveryCard({ configured }: { readonly configured: boolean }) {
  const { slug } = useOrganization();
  const { database, organizationId } = useDatabase();
  const window = useQuery(windowQuery(organizationId, database.id));
  if (database.engine.name !== 'Builtin') return null;
  if (window.data === undefined) {
    return (
      <Card title="Any moment">
        <Failed read={window} />
        {window.isPending && <Skeleton lines={3} />}
      </Card>
    );
  }
  const { earliest, latest } = window.data;
  return (
    <Card
      title="Any moment"
      actions={
        configured &&
        latest !== null && (
          <Link
            to="/o/$slug/databases/$name/backups/$backupId/restore"
            params={{ slug, name: database.name, backupId: MOMENT }}
            search
            className={buttonClass('plain', true)}
          >
            Restore to a moment
          </Link>
        )
      }
    >
      <div className={form.form}>
        <Failed read={window} />
        <p className={styles.soft}>{archivingWords(window.data)}</p>
        {earliest !== null && latest !== null && (
          <WindowFacts {...window.data} earliest={earliest} latest={latest} />
        )}
      </div>
    </Card>
  );
}

function archivingWords({ archiving, latest }: RecoveryWindow): string {
  if (archiving !== null) {
    const within = `An operation is in the store within ${archiving.rpoSeconds} s.`;
    if (archiving.healthy === false)
      return `The log is not archived at present (${archiving.state ?? ''}). Writes go on.`;
    return latest === null ? `${within} No moment can be restored yet.` : within;
  }
  return latest === null
    ? 'The log of this database is not archived: only its backups can be restored. Continuous archiving, switched on at Configuration, brings back every operation.'
    : 'The log is no longer archived. Archived operations can still be restored.';
}

interface WindowProps extends Pick<RecoveryWindow, 'gaps'> {
  readonly earliest: Moment;
  readonly latest: Moment;
}

export const WindowFacts = ({ earliest, latest, gaps }: WindowProps) => (
  <Facts
    rows={[
      ['From', <At key="from" {...earliest} />],
      ['Until', <At key="until" {...latest} />],
      ...gaps.map(
        ({ after, before, operations }, index) =>
          [
            `Gap ${index + 1}`,
            <>
              {shownFigure(operations, 'count')} operations after <At {...after} />, until{' '}
              <At {...before} />
            </>,
          ] as const,
      ),
    ]}
  />
);

export const At = ({ op, time }: Pick<Moment, 'op' | 'time'>) =>
  op === 0 ? (
    <>the empty ledger</>
  ) : (
    <>
      <Exactly at={time} /> (operation {op})
    </>
  );
