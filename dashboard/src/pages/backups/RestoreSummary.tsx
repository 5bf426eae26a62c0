import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Backup } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import styles from '../create/CreateDatabase.module.css';
import { storageOf, type Draft } from '../create/draft.ts';
import { PriceLines } from '../create/PriceLines.tsx';
import type { Plan } from '../create/use-plan.ts';

interface Props {
  readonly backup: Backup;
  readonly draft: Draft;
  readonly plan: Plan;
  readonly hasFieldErrors: boolean;
}

/** The price of the new database, and the button that makes it. */
export function RestoreSummary({ backup, draft, plan, hasFieldErrors }: Props) {
  const organization = useOrganization();
  const restore = useRestore(backup, draft);
  const notGood = backup.status === 'SUCCEEDED' ? undefined : 'This backup cannot be restored.';
  const missing = draft.name === '' ? 'Give the new database a name.' : undefined;
  const wrong = plan.error === null ? undefined : 'Correct the errors first.';
  const refused = whyNot(organization, 'changeDatabase') ?? notGood ?? missing ?? wrong;
  return (
    <div className={styles.summary}>
      <Card title="Summary">
        <PriceLines plan={plan} />
        {plan.error !== null && !hasFieldErrors && <Problem error={plan.error} />}
        {restore.isError && <Problem error={restore.error} />}
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
      </Card>
    </div>
  );
}

function useRestore({ databaseId, id: backupId }: Backup, draft: Draft) {
  const { id: organizationId, slug } = useOrganization();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const intent = useIntent();
  return useMutation({
    mutationFn: () => {
      const { name, provider, region, clusterConfiguration, clusterSize, storageTier } = draft;
      const shape = { clusterConfiguration, clusterSize, storageTier };
      const body = { name, provider, region, ...shape, selectedStorageGb: storageOf(draft) };
      const path = '/api/v1/databases/{databaseId}/backups/{backupId}/restore';
      const parts = { params: { databaseId, backupId }, body };
      return intent.try(body, (sending) => ask(organizationId, 'post', path, parts, sending));
    },
    onSuccess: async ({ data: { database } }) => {
      say(`${database.name} is being made from the backup`);
      void queryClient.invalidateQueries({ queryKey: ['databases', organizationId] });
      const params = { slug, name: database.name };
      await navigate({ to: '/o/$slug/databases/$name', params, search: {} });
    },
  });
}
