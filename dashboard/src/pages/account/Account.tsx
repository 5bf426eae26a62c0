import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import type { OwnSession } from '../../../../gen/api.ts';
import { ask, mine } from '../../data/client.ts';
import { ownSessionsQuery } from '../../data/queries.ts';
import { said } from '../../lib/said.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Card, Facts, Page } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Badge, Skeleton } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { useExactTime, When } from '../../ui/When.tsx';
import { deviceOf } from './device.ts';

export function Account() {
  const { session } = useRouteContext({ from: '__root__' });
  const { user, credential } = session;
  return (
    <Page title="Account" actions={<SignOut />}>
      <Card title="You">
        <Facts
          rows={[
            ['Name', said(user?.display ?? credential.name)],
            ...(typeof user?.email === 'string' ? [['Address', user.email] as const] : []),
            ...(user?.administrator === true
              ? [['Administrator', 'of this installation: may make organizations'] as const]
              : []),
            ...(credential.expiresAt === null
              ? []
              : [['Signed in until', <When key="until" at={credential.expiresAt} />] as const]),
            [
              'Organizations',
              session.organizations.map(({ name, role }) => `${said(name)} (${role})`).join(', ') ||
                'none yet',
            ],
          ]}
        />
      </Card>
      <Sessions />
    </Page>
  );
}

function SignOut() {
  const signOut = useMutation({
    mutationFn: () => ask(mine, 'delete', '/api/v1/session'),
    onSuccess: () => location.replace('/auth/login?returnTo=/'),
  });
  return (
    <>
      {signOut.isError && <Problem error={signOut.error} />}
      <Button busy={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out
      </Button>
    </>
  );
}

function Sessions() {
  const queryClient = useQueryClient();
  const list = useQuery(ownSessionsQuery());
  const rows = list.data?.data ?? [];
  const others = rows.filter(({ current }) => !current);
  const exactTime = useExactTime();
  const end = useMutation({
    mutationFn: async (ended: readonly OwnSession[]) => {
      for (const { id } of ended) {
        const params = { sessionId: id };
        await ask(mine, 'delete', '/api/v1/sessions/{sessionId}', { params });
      }
      return ended.length;
    },
    onSuccess: (count) =>
      say(count === 1 ? 'The session has ended' : `${count} sessions have ended`),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <Card
      title="Where you are signed in"
      actions={
        others.length > 1 && (
          <Button small busy={end.isPending} onClick={() => end.mutate(others)}>
            End all others
          </Button>
        )
      }
    >
      {list.isPending && <Skeleton />}
      <Failed read={list} />
      {end.isError && <Problem error={end.error} />}
      {rows.length > 0 && (
        <Table label="Sessions" heads={['Device', 'Address', 'Last used', 'Ends']} actions>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                <span title={row.userAgent ?? undefined}>{deviceOf(row)}</span>
                {row.current && (
                  <>
                    {' '}
                    <Badge tone="good">This one</Badge>
                  </>
                )}
              </td>
              <td>{row.ip ?? '–'}</td>
              <td className={table.keep}>
                <When at={row.lastUsedAt} />
              </td>
              <td className={table.keep}>
                <When at={row.expiresAt} />
              </td>
              <td className={table.end}>
                {!row.current && (
                  <Button
                    small
                    look="bad"
                    busy={end.isPending}
                    aria-label={`End the session on ${deviceOf(row)}, last used ${exactTime(row.lastUsedAt)}`}
                    onClick={() => end.mutate([row])}
                  >
                    End
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}
