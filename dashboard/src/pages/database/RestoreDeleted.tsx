import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { databaseKey } from '../../data/queries.ts';
import { useNow, useOrganization, whyNot } from '../../shell/context.ts';
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
  const now = useNow();
  const [name, setName] = useState(database.name);
  const intent = useIntent();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const restore = useMutation({
    mutationFn: () =>
      intent.try(name, (sending) =>
        ask(
          organization.id,
          'post',
          '/api/v1/databases/{databaseId}/restore',
          { params: { databaseId: database.id }, body: name === database.name ? {} : { name } },
          sending,
        ),
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
  const { purgeAt } = database;
  const isPurged = purgeAt !== null && Date.parse(purgeAt) <= now.getTime();
  const isBusy = database.status === 'DELETING' ? 'It is still being deleted.' : undefined;
  if (isPurged) return <WithoutData />;
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

/** A database whose data is purged, or will be once its last backup is made. */
function WithoutData() {
  const organization = useOrganization();
  const { database } = useDatabase();
  const queryClient = useQueryClient();
  const { id: databaseId, name, status, activeJobId } = database;
  const remove = useMutation({
    mutationFn: () =>
      ask(organization.id, 'delete', '/api/v1/databases/{databaseId}', { params: { databaseId } }),
    onSuccess: () => say(`${name} is deleted without a last backup`),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organization.id, databaseId) }),
  });
  if (status === 'DELETING') {
    return (
      <Card title="Being deleted">
        <div className={styles.danger}>
          <p>
            Its data go once the last backup is made. Deleted without one, they stay for some days,
            in which it can be restored.
          </p>
          <Button
            busy={remove.isPending}
            disabledReason={
              whyNot(organization, 'changeDatabase') ??
              (activeJobId === null ? undefined : 'The last backup is being made.')
            }
            onClick={() => remove.mutate()}
          >
            Delete without a last backup
          </Button>
        </div>
        {remove.isError && <Problem error={remove.error} />}
      </Card>
    );
  }
  return (
    <Card title="Deleted">
      <p>
        Its data are gone. If it has{' '}
        <Link
          to="/o/$slug/databases/$name/backups"
          params={{ slug: organization.slug, name }}
          search={{ id: databaseId }}
        >
          backups
        </Link>
        , a new database can begin with one.
      </p>
    </Card>
  );
}
