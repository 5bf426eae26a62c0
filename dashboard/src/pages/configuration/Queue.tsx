import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { said } from '../../lib/said.ts';
import type { Change } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { changesQuery } from '../../data/configuration-queries.ts';
import { useIntent } from '../../data/intent.ts';
import { databaseKey } from '../../data/queries.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Badge, Skeleton } from '../../ui/States.tsx';
import { Exactly, When } from '../../ui/When.tsx';
import styles from '../database/DatabaseFrame.module.css';
import { useDatabase } from '../database/use-database.ts';
import { changeTones, diffWords } from './words.ts';

const shownMax = 6;

/** Changes that wait or are being applied, and the last ones that ended. */
export function Queue() {
  const { database, organizationId } = useDatabase();
  const changes = useQuery(changesQuery(organizationId, database.id));
  const rows = changes.data ?? [];
  return (
    <Card title="Changes">
      <Failed read={changes} />
      {changes.isPending && <Skeleton lines={2} />}
      {changes.isSuccess && rows.length === 0 && <p className={styles.soft}>None yet.</p>}
      {rows.length > 0 && (
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
  const waits = status === 'QUEUED' && applyAt !== 'now';
  return (
    <li className={styles.change}>
      <div className={styles.danger}>
        <span>
          <Badge tone={changeTones[status]}>{status.toLowerCase()}</Badge> {diffWords(diff)}
        </span>
        {status === 'QUEUED' && (
          <span>
            {waits && <Act change={change} act="begin" />} <Act change={change} act="withdraw" />
          </span>
        )}
      </div>
      {waits && (
        <p>
          {change.inMaintenanceWindow ? 'In the maintenance window of' : 'Not before'}{' '}
          <Exactly at={applyAt} />.
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

const one = '/api/v1/databases/{databaseId}/changes/{changeId}';
const acts = {
  begin: { label: 'Begin at once', done: 'The change begins' },
  withdraw: { label: 'Withdraw', done: 'The change is withdrawn' },
} as const;

interface ActProps {
  readonly change: Change;
  readonly act: keyof typeof acts;
}

function Act({ change, act }: ActProps) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const intent = useIntent();
  const params = { databaseId: change.databaseId, changeId: change.id };
  const { label, done } = acts[act];
  const ending = useMutation({
    mutationFn: () =>
      act === 'withdraw'
        ? ask(organization.id, 'delete', one, { params })
        : intent.try([params], ({ headers }) =>
            ask(organization.id, 'post', `${one}/begin`, { params }, { headers }),
          ),
    onSuccess: () => say(done),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organization.id, change.databaseId) }),
  });
  return (
    <>
      {ending.isError && <Problem error={ending.error} />}
      <Button
        small
        busy={ending.isPending}
        disabledReason={whyNot(organization, 'changeDatabase')}
        aria-label={`${label}: ${diffWords(change.diff)}`}
        onClick={() => ending.mutate()}
      >
        {label}
      </Button>
    </>
  );
}
