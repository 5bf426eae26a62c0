import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreateCatalog } from '../../../../gen/api.ts';
import { catalogQuery } from '../../data/queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { Page } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/States.tsx';
import styles from './CreateDatabase.module.css';
import { draftOf, type Draft } from './draft.ts';
import { ChoiceFields } from './ChoiceFields.tsx';
import { Summary } from './Summary.tsx';
import { planErrors, usePlan } from './use-plan.ts';

export function CreateDatabase() {
  const organization = useOrganization();
  const catalog = useQuery(catalogQuery(organization.id));
  return (
    <Page
      title="New database"
      about="Everything that is not chosen here is the catalog’s default. The topology cannot be changed later; size and storage can grow."
    >
      {catalog.isPending && <Skeleton lines={8} />}
      {catalog.isError && <Problem error={catalog.error} onRetry={() => void catalog.refetch()} />}
      {catalog.isSuccess && <Form catalog={catalog.data} />}
    </Page>
  );
}

function Form({ catalog }: { readonly catalog: CreateCatalog }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(catalog));
  const plan = usePlan(draft, catalog.version);
  const errors = planErrors(plan);
  return (
    <div className={styles.layout}>
      <ChoiceFields
        catalog={catalog}
        draft={draft}
        errors={draft.name === '' ? { ...errors, name: undefined } : errors}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
      <Summary
        catalog={catalog}
        draft={draft}
        plan={plan}
        hasFieldErrors={Object.keys(errors).length > 0}
      />
    </div>
  );
}
