import { useQuery } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import type { SavedQuery } from '../../../../../gen/api.ts';
import { said } from '../../../lib/said.ts';
import { useOrganization, whyNot } from '../../../shell/context.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Failed } from '../../../ui/Failed.tsx';
import { Skeleton } from '../../../ui/States.tsx';
import { useDatabase } from '../../database/use-database.ts';
import styles from '../Explorer.module.css';
import { wordsOfQuery } from '../history.ts';
import type { ExplorerSearch } from '../search.ts';
import { ChangeQuery } from './ChangeQuery.tsx';
import { savedQueriesQuery, searchOf } from './queries.ts';

interface Props {
  /** What the form of the page asks for. */
  readonly search: ExplorerSearch;
  readonly onRun: (search: ExplorerSearch) => void;
}

/** The queries by name, each with a button that runs it and one that changes it. */
export function SavedList({ search, onRun }: Props) {
  const { database, organizationId } = useDatabase();
  const saved = useQuery(savedQueriesQuery(organizationId, database.id));
  const [changed, setChanged] = useState<string>();
  const whyFixed = useWhyFixed();
  if (saved.isPending) return <Skeleton lines={2} />;
  if (saved.data === undefined) return <Failed read={saved} />;
  const close = () => setChanged(undefined);
  return (
    <>
      <Failed read={saved} />
      {saved.data.length === 0 && (
        <p>None yet. A query that is saved is there for everybody who may see this database.</p>
      )}
      <ul className={styles.past}>
        {saved.data.map((query) => (
          <li key={query.id} className={styles.saved}>
            <button
              type="button"
              title={`${wordsOfQuery(searchOf(query))}. Saved by ${said(query.createdBy.display)}.`}
              onClick={() => onRun(searchOf(query))}
            >
              {said(query.name)}
            </button>
            <Button
              small
              look="quiet"
              aria-label={`Change ${said(query.name)}`}
              disabledReason={whyFixed(query)}
              onClick={() => setChanged(query.id)}
            >
              Change
            </Button>
          </li>
        ))}
      </ul>
      <Dialog open={changed !== undefined} onClose={close} title="Change the saved query">
        {changed !== undefined && <ChangeQuery queryId={changed} search={search} onClose={close} />}
      </Dialog>
    </>
  );
}

/** Why the caller may not change a query; `undefined`: they may. */
function useWhyFixed() {
  const organization = useOrganization();
  const { session } = useRouteContext({ from: '__root__' });
  return ({ createdBy }: SavedQuery): string | undefined =>
    createdBy.id !== null && createdBy.id === session.user?.id
      ? undefined
      : whyNot(organization, 'changeDatabase') &&
        `Only ${said(createdBy.display)}, who saved it, owners and admins may change it.`;
}
