import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { said } from '../../lib/said.ts';
import type { Change } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { changesQuery } from '../../data/configuration-queries.ts';
import { databaseKey } from '../../data/queries.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Badge } from '../../ui/States.tsx';
import { Exactly, When } from '../../ui/When.tsx';
import styles from '../database/DatabaseFrame.module.css';
import { useDatabase } from '../database/use-database.ts';
import { changeTones, diffWords } from './words.ts';

const shownMax = 6;

/** Changes that wait or are being applied, and the last ones that ended. */
export function Queue() {
  const { database, organizationId } = useDatabase();
  const changes = useQuery(changesQuery(organizationId, database.id));
  if (changes.isError) {
    return <Problem error={changes.error} onRetry={() => void changes.refetch()} />;
  }
  const rows = changes.data ?? [];
  return (
    <Card title="Changes">
      {rows.length === 0 ? (
        <p className={styles.soft}>None yet.</p>
      ) : (
        <ul className={styles.stack}>
          {rows.slice(0, shownMax).map((change) => (
            <ChangeRow key={change.id} change={change} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function ChangeRow({ change }: { readonly change: Change }) {
  const { status, diff, progress, error, actor, createdAt, applyAt, finishedAt } = change;
  return (
    <li className={styles.change}>
      <div className={styles.danger}>
        <span>
          <Badge tone={changeTones[status]}>{status.toLowerCase()}</Badge> {diffWords(diff)}
        </span>
        {status === 'QUEUED' && <Withdraw change={change} />}
      </div>
      {status === 'QUEUED' && applyAt !== 'now' && (
        <p>
          Not before <Exactly at={applyAt} />.
        </p>
      )}
      {progress !== null && finishedAt === null && <p aria-live="polite">{progress}</p>}
      {error !== null && (
        <p>
          <strong>{error.message}</strong> {error.state} {error.nextSteps.join(' ')}
        </p>
      )}
      <p className={styles.soft}>
        By {said(actor.display)} <When at={finishedAt ?? createdAt} />
      </p>
    </li>
  );
}

function Withdraw({ change }: { readonly change: Change }) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () =>
      ask(organization.id, 'delete', '/api/v1/databases/{databaseId}/changes/{changeId}', {
        params: { databaseId: change.databaseId, changeId: change.id },
      }),
    onSuccess: () => say('The change is withdrawn'),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organization.id, change.databaseId) }),
  });
  return (
    <>
      {withdraw.isError && <Problem error={withdraw.error} />}
      <Button
        small
        busy={withdraw.isPending}
        disabledReason={whyNot(organization, 'changeDatabase')}
        onClick={() => withdraw.mutate()}
      >
        Withdraw
      </Button>
    </>
  );
}
