import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { CreateCatalog } from '../../../../gen/api.ts';
import { besideFields } from '../../data/problem-error.ts';
import { catalogQuery } from '../../data/queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { Choices } from '../../ui/Choices.tsx';
import form from '../../ui/Form.module.css';
import { latePart } from '../../ui/late-part.tsx';
import { Card, Page } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Skeleton } from '../../ui/States.tsx';
import styles from './CreateDatabase.module.css';
import { beginWith, draftOf, takeFiles, type Draft } from './draft.ts';
import { ChoiceFields, choiceFields } from './ChoiceFields.tsx';
import { Summary } from './Summary.tsx';
import { planErrors, usePlan } from './use-plan.ts';

export function CreateDatabase() {
  const organization = useOrganization();
  const catalog = useQuery(catalogQuery(organization.id));
  return (
    <Page
      title="New database"
      about="Give it a name: all other choices are already made, with the catalog’s defaults. Size and storage can grow later; another number of replicas is a change with an interruption."
    >
      {catalog.isPending && <Skeleton lines={8} />}
      <Failed read={catalog} />
      {catalog.data !== undefined && <Form catalog={catalog.data} />}
    </Page>
  );
}

/** Loaded on demand, because few people import. */
const ImportCard = latePart(
  'The upload',
  async () => (await import('./import/ImportCard.tsx')).ImportCard,
);

function Form({ catalog }: { readonly catalog: CreateCatalog }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(catalog));
  const plan = usePlan(draft, catalog.version);
  const errors = planErrors(plan);
  return (
    <div className={styles.layout}>
      <div className={form.form}>
        <Beginning
          catalog={catalog}
          draft={draft}
          onChange={(change) => setDraft((draft) => ({ ...draft, ...change }))}
        />
        <ChoiceFields
          catalog={catalog}
          draft={draft}
          errors={draft.name === '' ? { ...errors, name: undefined } : errors}
          onChange={(change) => setDraft({ ...draft, ...change })}
        />
      </div>
      <Summary
        catalog={catalog}
        draft={draft}
        plan={plan}
        problem={besideFields(plan.error, choiceFields, errors)}
      />
    </div>
  );
}

interface BeginningProps {
  readonly catalog: CreateCatalog;
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

const Beginning = ({ catalog, draft, onChange }: BeginningProps) => (
  <>
    <Card>
      <Choices
        label="Start with"
        choices={[
          { id: 'new', title: 'New', about: 'An empty ledger.', refused: undefined },
          {
            id: 'import',
            title: 'Import',
            about: 'Accounts and transfers in CSV or NDJSON, or data files of either engine.',
            refused: catalog.import.supported
              ? undefined
              : (catalog.import.reason?.replace(/\.$/, '') ?? 'imports are not set up'),
          },
        ]}
        chosen={draft.mode}
        onChoose={(mode) =>
          onChange(beginWith(catalog, draft, mode === 'import' ? 'import' : 'new'))
        }
      />
    </Card>
    {draft.mode === 'import' && (
      <Suspense fallback={<Skeleton lines={4} />}>
        <ImportCard
          catalog={catalog}
          ready={draft.files}
          onReady={(files) => onChange(takeFiles(catalog, draft, files))}
        />
      </Suspense>
    )}
  </>
);
