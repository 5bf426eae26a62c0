import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Backup, CreateCatalog } from '../../../../gen/api.ts';
import { backupQuery } from '../../data/backup-queries.ts';
import { catalogQuery } from '../../data/queries.ts';
import { said } from '../../lib/said.ts';
import { shownBytes } from '../../lib/figures.ts';
import { Card, useTitle } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { Exactly } from '../../ui/When.tsx';
import { useDatabase } from '../database/use-database.ts';
import { MOMENT } from './RecoveryCard.tsx';
import { RestoreForm } from './RestoreForm.tsx';
import { RestoreMoment } from './RestoreMoment.tsx';
import { transfersWords } from './words.ts';

/** A new database that begins with a backup of this one, or as it was at a moment. */
export function RestoreBackup() {
  const { backupId } = useParams({ from: '/o/$slug/databases/$name/backups/$backupId/restore' });
  return backupId === MOMENT ? <RestoreMoment /> : <RestoreOne backupId={backupId} />;
}

function RestoreOne({ backupId }: { readonly backupId: string }) {
  const { database, organizationId } = useDatabase();
  const backup = useQuery(backupQuery(organizationId, database.id, backupId));
  const catalog = useQuery(catalogQuery(organizationId));
  useTitle(`${database.name}: restore a backup`);
  // A read that fails later takes nothing away: somebody may have filled the form.
  const failed = [backup, catalog].find(({ isError, data }) => isError && data === undefined);
  if (failed !== undefined) return <Failed read={failed} />;
  if (backup.data === undefined || catalog.data === undefined) return <Skeleton lines={8} />;
  return <BackupForm backup={backup.data} catalog={catalog.data} />;
}

interface Props {
  readonly backup: Backup;
  readonly catalog: CreateCatalog;
}

function BackupForm({ backup, catalog }: Props) {
  const { database } = useDatabase();
  const { databaseId, id: backupId, status } = backup;
  const files = backup.method === 'FILES';
  return (
    <RestoreForm
      catalog={catalog}
      from={{ databaseId, backupId }}
      files={files}
      notGood={status === 'SUCCEEDED' ? undefined : 'This backup cannot be restored.'}
    >
      <Card title={`Restore ${said(backup.name)}`}>
        <p>
          A new database begins with the state of {database.name} at{' '}
          <Exactly at={backup.startedAt ?? backup.createdAt} />
          {contentWords(backup)}.{' '}
          {files
            ? 'It gets its own ID, addresses and keys, and keeps the cluster ID'
            : 'It gets its own ID, cluster ID, addresses and keys'}
          ; {database.name} stays as it is.
        </p>
      </Card>
    </RestoreForm>
  );
}

const contentWords = ({ transfers, sizeBytes, files }: Backup): string =>
  transfers === null || sizeBytes === null
    ? files === null
      ? ''
      : `: the data files of ${files.length === 1 ? 'its replica' : `${files.length} replicas`}`
    : `: ${transfersWords(transfers)}, ${shownBytes(sizeBytes)} of rows`;
