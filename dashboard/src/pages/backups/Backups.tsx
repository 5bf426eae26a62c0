import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { backupsQuery } from '../../data/backup-queries.ts';
import { databaseJobsQuery } from '../../data/queries.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Card, useTitle } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Empty, Skeleton } from '../../ui/States.tsx';
import styles from '../database/DatabaseFrame.module.css';
import { useDatabase } from '../database/use-database.ts';
import { BackupTable } from './BackupTable.tsx';
import { NewBackup } from './NewBackup.tsx';
import { RecoveryCard } from './RecoveryCard.tsx';
import { Schedules } from './Schedules.tsx';
import { isOneMade, whyNotBackedUp, withoutStore } from './words.ts';

/** The backups of a database, also of a deleted one: each can begin a new database. */
export function Backups() {
  const organization = useOrganization();
  const { database, organizationId } = useDatabase();
  const jobs = useQuery(databaseJobsQuery(organizationId, database.id)).data?.data ?? [];
  const isWorkedOn = jobs.some(
    ({ type, finishedAt }) => type.startsWith('backup.') && finishedAt === null,
  );
  const list = useInfiniteQuery(backupsQuery(organizationId, database.id, isWorkedOn));
  const [making, setMaking] = useState(false);
  useTitle(`${database.name}: backups`);
  const pages = list.data?.pages ?? [];
  const rows = pages.flatMap(({ data }) => data);
  const configured = pages.at(0)?.configured ?? true;
  const never =
    whyNot(organization, 'changeDatabase') ??
    whyNotBackedUp(database, configured) ??
    (list.isPending ? 'It is not known yet whether a backup can be made.' : undefined);
  const refused = never ?? (isOneMade(rows) ? 'One that was requested is being made.' : undefined);
  return (
    <div className={styles.stack}>
      <Failed read={list} />
      {!configured && (
        <Card title="Backups are not set up" tone="bad">
          <p>{withoutStore} Until then no backup can be made or restored.</p>
        </Card>
      )}
      <div className={styles.danger}>
        <p className={styles.soft}>
          A backup holds everything that was answered before it. The database goes on meanwhile, and
          only what is new is stored.
        </p>
        <Button look="main" disabledReason={refused} onClick={() => setMaking(true)}>
          New backup
        </Button>
      </div>
      {list.isPending && <Skeleton lines={6} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty title="No backup yet">
          {refused ?? 'Make the first one before you need it: a new database can begin with it.'}
        </Empty>
      )}
      {rows.length > 0 && <BackupTable backups={rows} jobs={jobs} configured={configured} />}
      <More list={list} count={rows.length} what="backups" />
      <RecoveryCard configured={configured && !list.isPending} />
      <Schedules refused={never} />
      <NewBackup open={making} onClose={() => setMaking(false)} />
    </div>
  );
}
