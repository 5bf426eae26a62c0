import type { ReactNode } from 'react';
import type { CreateCatalog, Database } from '../../../../gen/api.ts';
import form from '../../ui/Form.module.css';
import { Card } from '../../ui/Page.tsx';
import { PlaceFields, ShapeFields } from '../create/ChoiceFields.tsx';
import styles from '../create/CreateDatabase.module.css';
import { draftOf, type Draft } from '../create/draft.ts';
import { planErrors, type Plan } from '../create/use-plan.ts';
import { useDatabase } from '../database/use-database.ts';

/** A draft with the shape of a database. */
export const draftLike = (database: Database, catalog: CreateCatalog): Draft => ({
  ...draftOf(catalog),
  provider: database.provider,
  region: database.region,
  clusterConfiguration: database.clusterConfiguration,
  clusterSize: database.clusterSize,
  storageTier: database.storageTier,
  storageGb: String(database.selectedStorageGb),
  engine: database.engine.name,
});

interface Props {
  readonly catalog: CreateCatalog;
  readonly draft: Draft;
  readonly plan: Plan;
  readonly onChange: (draft: Draft) => void;
  readonly summary: ReactNode;
  /** What the new database begins with. */
  readonly children: ReactNode;
}

/** The form of a new database that begins with another one's data. */
export function RestoreLayout({ catalog, draft, plan, onChange, summary, children }: Props) {
  const { database } = useDatabase();
  const errors = planErrors(plan);
  const fields = {
    catalog,
    draft,
    errors: draft.name === '' ? { ...errors, name: undefined } : errors,
    onChange: (change: Partial<Draft>) => onChange({ ...draft, ...change }),
  };
  return (
    <div className={styles.layout}>
      <div className={form.form}>
        {children}
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
      {summary}
    </div>
  );
}
