import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { RestoreBackupRequest } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { besideFields } from '../../data/problem-error.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { shapeFields } from '../create/ChoiceFields.tsx';
import { BillingNote, BillingProblem } from '../create/BillingNote.tsx';
import styles from '../create/CreateDatabase.module.css';
import { PriceLines } from '../create/PriceLines.tsx';
import { planErrors, whyNotYet, type Plan } from '../create/use-plan.ts';
import { restoreRequest, type From, type RestoreDraft } from './restore-draft.ts';

interface Props {
  /** Of the shown price. */
  readonly catalogVersion: string;
  readonly from: From;
  /** Why this cannot be restored; `undefined`: it can. */
  readonly notGood: string | undefined;
  readonly draft: RestoreDraft;
  readonly plan: Plan;
}

/** The price of the new database, and the button that makes it. */
export function RestoreSummary({ catalogVersion, from, notGood, draft, plan }: Props) {
  const organization = useOrganization();
  const restore = useRestore(from, restoreRequest(draft, catalogVersion));
  const problem = besideFields(plan.error, shapeFields, planErrors(plan));
  const missing = draft.name === '' ? 'Give the new database a name.' : undefined;
  const refused = whyNot(organization, 'changeDatabase') ?? notGood ?? missing ?? whyNotYet(plan);
  return (
    <div className={styles.summary}>
      <Card title="Summary">
        <PriceLines plan={plan} />
        {problem !== null && <Problem error={problem} onRetry={plan.again} />}
        {restore.isError && <BillingProblem error={restore.error} />}
        <Button
          look="main"
          className={styles.create ?? ''}
          busy={restore.isPending}
          disabledReason={refused}
          onClick={() => restore.mutate()}
        >
          Restore into a new database
        </Button>
        {(notGood ?? missing) !== undefined && <p className={styles.soft}>{notGood ?? missing}</p>}
        <BillingNote plan={plan} then="Mend that first: a restore is not kept for later." />
      </Card>
    </div>
  );
}

function useRestore(from: From, body: RestoreBackupRequest) {
  const { id: organizationId, slug } = useOrganization();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const intent = useIntent();
  return useMutation({
    mutationFn: () => {
      const { databaseId } = from;
      if ('backupId' in from) {
        const path = '/api/v1/databases/{databaseId}/backups/{backupId}/restore';
        const parts = { params: { databaseId, backupId: from.backupId }, body };
        return intent.try(body, (sending) => ask(organizationId, 'post', path, parts, sending));
      }
      const path = '/api/v1/databases/{databaseId}/recovery-window/restore';
      const parts = { params: { databaseId }, body: { ...body, targetTime: from.targetTime } };
      return intent.try(parts.body, (sending) => ask(organizationId, 'post', path, parts, sending));
    },
    onSuccess: async ({ data: { database } }) => {
      say(`${database.name} is being made`);
      void queryClient.invalidateQueries({ queryKey: ['databases', organizationId] });
      const params = { slug, name: database.name };
      await navigate({ to: '/o/$slug/databases/$name', params, search: {} });
    },
  });
}
