import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, intentKey } from '../../data/client.ts';
import { databaseKey } from '../../data/queries.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Input } from '../../ui/Field.tsx';
import { Card } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Exactly, When } from '../../ui/When.tsx';
import styles from './DatabaseFrame.module.css';
import { useDatabase } from './use-database.ts';

export function RestoreDeleted() {
  const organization = useOrganization();
  const { database } = useDatabase();
  const [name, setName] = useState(database.name);
  const [intent] = useState(intentKey);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const restore = useMutation({
    mutationFn: () =>
      ask(
        organization.id,
        'post',
        '/api/v1/databases/{databaseId}/restore',
        { params: { databaseId: database.id }, body: name === database.name ? {} : { name } },
        { headers: { 'Idempotency-Key': `${intent}-${name}` } },
      ),
    onSuccess: async ({ data }) => {
      say(`${data.database.name} is being restored`);
      await queryClient.invalidateQueries({ queryKey: ['databases', organization.id] });
      const { slug } = organization;
      await navigate({
        to: '/o/$slug/databases/$name',
        params: { slug, name: data.database.name },
        search: {},
      });
    },
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organization.id, database.id) }),
  });
  const isBusy = database.status === 'DELETING' ? 'It is still being deleted.' : undefined;
  return (
    <Card title="Deleted">
      {database.purgeAt !== null && (
        <p>
          Its data are purged <When at={database.purgeAt} /> (<Exactly at={database.purgeAt} />
          ). Until then it can be restored with all of them.
        </p>
      )}
      <form
        className={styles.column}
        onSubmit={(event) => {
          event.preventDefault();
          restore.mutate();
        }}
      >
        <Input
          label="Name"
          mono
          value={name}
          hint="Another one if the name was taken meanwhile."
          onChange={(event) => setName(event.target.value)}
        />
        {restore.isError && <Problem error={restore.error} />}
        <div>
          <Button
            type="submit"
            look="main"
            busy={restore.isPending}
            disabledReason={whyNot(organization, 'changeDatabase') ?? isBusy}
          >
            Restore database
          </Button>
        </div>
      </form>
    </Card>
  );
}
