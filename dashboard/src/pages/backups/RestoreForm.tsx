import { useState, type ReactNode } from 'react';
import type { CreateCatalog } from '../../../../gen/api.ts';
import form from '../../ui/Form.module.css';
import { Card } from '../../ui/Page.tsx';
import { PlaceFields, ShapeFields } from '../create/ChoiceFields.tsx';
import styles from '../create/CreateDatabase.module.css';
import { planErrors, usePlan } from '../create/use-plan.ts';
import { useDatabase } from '../database/use-database.ts';
import { EngineCard } from './EngineCard.tsx';
import { InPlaceRestore } from './InPlaceRestore.tsx';
import { draftLike, type From, type RestoreDraft } from './restore-draft.ts';
import { RestoreSummary } from './RestoreSummary.tsx';

interface Props {
  readonly catalog: CreateCatalog;
  readonly from: From;
  /** Why that cannot be restored; `undefined`: it can. */
  readonly notGood: string | undefined;
  /** Whether it begins with data files, which only TigerBeetle of the same topology takes. */
  readonly files?: boolean;
  /** What the new database begins with. */
  readonly children: ReactNode;
}

/** The form of a new database that begins with another one's data. It has the shape of the original unless something else is chosen. */
export function RestoreForm({ catalog, from, notGood, files = false, children }: Props) {
  const { database } = useDatabase();
  const [draft, setDraft] = useState(() => draftLike(database, catalog, files));
  const plan = usePlan(draft, catalog.version);
  const errors = planErrors(plan);
  const fields = {
    catalog,
    draft,
    errors: draft.name === '' ? { ...errors, name: undefined } : errors,
    onChange: (change: Partial<RestoreDraft>) => setDraft({ ...draft, ...change }),
  };
  return (
    <div className={styles.layout}>
      <div className={form.form}>
        {children}
        <PlaceFields {...fields} />
        <EngineCard {...fields} files={files} />
        <Card title="Shape">
          <div className={form.form}>
            <p className={styles.soft}>
              It was {database.clusterConfiguration}, {database.clusterSize} and{' '}
              {database.selectedStorageGb} GiB.{' '}
              {files
                ? 'Its files fit that topology only.'
                : 'A smaller size may not hold its rows.'}
            </p>
            <ShapeFields {...fields} />
          </div>
        </Card>
        {database.engine.name === 'Builtin' && !files && (
          <InPlaceRestore from={from} notGood={notGood} />
        )}
      </div>
      <RestoreSummary
        catalogVersion={catalog.version}
        from={from}
        notGood={notGood}
        draft={draft}
        plan={plan}
      />
    </div>
  );
}
