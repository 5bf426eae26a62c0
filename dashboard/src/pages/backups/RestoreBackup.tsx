import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Backup, CreateCatalog } from '../../../../gen/api.ts';
import { backupQuery } from '../../data/backup-queries.ts';
import { catalogQuery } from '../../data/queries.ts';
import { shownBytes } from '../../lib/figures.ts';
import form from '../../ui/Form.module.css';
import { Card, useTitle } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { Exactly } from '../../ui/When.tsx';
import { PlaceFields, ShapeFields } from '../create/ChoiceFields.tsx';
import styles from '../create/CreateDatabase.module.css';
import { draftOf, type Draft } from '../create/draft.ts';
import { planErrors, usePlan } from '../create/use-plan.ts';
import { useDatabase } from '../database/use-database.ts';
import { RestoreSummary } from './RestoreSummary.tsx';
import { transfersWords } from './words.ts';

/** A new database that begins with a backup. It has the shape of the original unless something else is chosen. */
export function RestoreBackup() {
  const { backupId } = useParams({ from: '/o/$slug/databases/$name/backups/$backupId/restore' });
  const { database, organizationId } = useDatabase();
  const backup = useQuery(backupQuery(organizationId, database.id, backupId));
  const catalog = useQuery(catalogQuery(organizationId));
  useTitle(`${database.name}: restore a backup`);
  const failed = [backup, catalog].find(({ isError }) => isError);
  if (failed !== undefined) {
    return <Problem error={failed.error} onRetry={() => void failed.refetch()} />;
  }
  if (backup.data === undefined || catalog.data === undefined) return <Skeleton lines={8} />;
  return <RestoreForm backup={backup.data} catalog={catalog.data} />;
}

interface Props {
  readonly backup: Backup;
  readonly catalog: CreateCatalog;
}

function RestoreForm({ backup, catalog }: Props) {
  const { database } = useDatabase();
  const [draft, setDraft] = useState<Draft>(() => ({
    ...draftOf(catalog),
    provider: database.provider,
    region: database.region,
    clusterConfiguration: database.clusterConfiguration,
    clusterSize: database.clusterSize,
    storageTier: database.storageTier,
    storageGb: String(database.selectedStorageGb),
    engine: database.engine.name,
  }));
  const plan = usePlan(draft, catalog.version);
  const errors = planErrors(plan);
  const fields = {
    catalog,
    draft,
    errors: draft.name === '' ? { ...errors, name: undefined } : errors,
    onChange: (change: Partial<Draft>) => setDraft({ ...draft, ...change }),
  };
  return (
    <div className={styles.layout}>
      <div className={form.form}>
        <Card title={`Restore ${backup.name}`}>
          <p>
            A new database begins with the state of {database.name} at{' '}
            <Exactly at={backup.startedAt ?? backup.createdAt} />
            {contentWords(backup)}. It gets its own ID, cluster ID, addresses and keys;{' '}
            {database.name} stays as it is.
          </p>
        </Card>
        <PlaceFields {...fields} />
        <Card title="Shape">
          <div className={form.form}>
            <p className={styles.soft}>
              It was {database.clusterConfiguration}, {database.clusterSize} and{' '}
              {database.selectedStorageGb} GiB. A smaller size may not hold its rows.
            </p>
            <ShapeFields {...fields} />
          </div>
        </Card>
      </div>
      <RestoreSummary
        backup={backup}
        draft={draft}
        plan={plan}
        hasFieldErrors={Object.keys(errors).length > 0}
      />
    </div>
  );
}

const contentWords = ({ transfers, sizeBytes }: Backup): string =>
  transfers === null || sizeBytes === null
    ? ''
    : `: ${transfersWords(transfers)}, ${shownBytes(sizeBytes)} of rows`;
