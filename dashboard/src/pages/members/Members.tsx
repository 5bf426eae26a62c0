import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invitation, Member, SentInvitation } from '../../../../gen/api.ts';
import { ask, intentKey } from '../../data/client.ts';
import { invitationsQuery, membersQuery } from '../../data/queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Code } from '../../ui/Code.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Card, Page } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Badge, Empty, Skeleton } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { When } from '../../ui/When.tsx';
import { Invite } from './Invite.tsx';
import { roles, type Role } from './roles.ts';

export function Members() {
  const organization = useOrganization();
  const [inviting, setInviting] = useState(false);
  const [sent, setSent] = useState<SentInvitation>();
  const list = useInfiniteQuery(membersQuery(organization.id));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page
      title="Members"
      actions={
        <Button look="main" onClick={() => setInviting(true)}>
          Invite somebody
        </Button>
      }
    >
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton />}
      {list.isSuccess && rows.length === 0 && (
        <Empty title="No member yet">
          The local administrator acts here without being a member. Invite the first owner.
        </Empty>
      )}
      {rows.length > 0 && (
        <Table label="Members" heads={['Name', 'Role', 'Databases', 'Since']} actions>
          {rows.map((member) => (
            <MemberRow key={member.id} member={member} />
          ))}
        </Table>
      )}
      {list.hasNextPage && (
        <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
      <Invitations onSent={setSent} />
      <Card title="Roles">
        <Table label="Roles" heads={['Role', 'May']}>
          {roles.map(({ id, about }) => (
            <tr key={id}>
              <td className={table.keep}>{id}</td>
              <td>{about}</td>
            </tr>
          ))}
        </Table>
      </Card>
      <Invite open={inviting} onClose={() => setInviting(false)} onSent={setSent} />
      <Dialog
        open={sent !== undefined}
        onClose={() => setSent(undefined)}
        title={`${sent?.invitation.email ?? ''} is invited`}
        about={
          sent?.mailed === true
            ? 'A mail is on its way. The link is shown this once:'
            : 'This installation sends no mail: hand the link over. It is shown this once.'
        }
      >
        <Code text={sent?.acceptUrl ?? ''} what="the link" />
        <DialogButtons>
          <Button look="main" onClick={() => setSent(undefined)}>
            Done
          </Button>
        </DialogButtons>
      </Dialog>
    </Page>
  );
}

function MemberRow({ member }: { readonly member: Member }) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const [removing, setRemoving] = useState(false);
  const params = { membershipId: member.id };
  const path = '/api/v1/members/{membershipId}';
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['members', organization.id] });
  const change = useMutation({
    mutationFn: (role: Role) => ask(organization.id, 'patch', path, { params, body: { role } }),
    onSuccess: () => say('The role is changed'),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => ask(organization.id, 'delete', path, { params }),
    onSuccess: () => say(`${member.user.name} is no longer a member`),
    onSettled,
  });
  const { databaseScope: scope } = member;
  return (
    <tr>
      <td>
        <span className={table.name}>{member.user.name}</span>
        <div className={table.soft}>{member.user.email}</div>
        {change.isError && <Problem error={change.error} />}
      </td>
      <td>
        <select
          aria-label={`Role of ${member.user.name}`}
          value={member.role}
          onChange={(event) => {
            const role = roles.find(({ id }) => id === event.target.value)?.id;
            if (role !== undefined) change.mutate(role);
          }}
        >
          {roles.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </td>
      <td className={table.keep}>
        {scope.type === 'ALL' ? 'all' : `${scope.databaseIds.length} of them`}
      </td>
      <td className={table.keep}>
        <When at={member.createdAt} />
      </td>
      <td className={table.end}>
        <Button small look="bad" onClick={() => setRemoving(true)}>
          Remove
        </Button>
        <Dialog
          open={removing}
          onClose={() => setRemoving(false)}
          title={`Remove ${member.user.name}?`}
          about="Their access ends at once. Keys that they made stay, since keys belong to the organization: revoke those they know."
        >
          {remove.isError && <Problem error={remove.error} />}
          <DialogButtons>
            <Button onClick={() => setRemoving(false)}>Keep them</Button>
            <Button look="bad" busy={remove.isPending} onClick={() => remove.mutate()}>
              Remove
            </Button>
          </DialogButtons>
        </Dialog>
      </td>
    </tr>
  );
}

function Invitations({ onSent }: { readonly onSent: (sent: SentInvitation) => void }) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const list = useInfiniteQuery(invitationsQuery(organization.id));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const act = useMutation({
    mutationFn: async ({ verb, id }: { verb: 'resend' | 'revoke'; id: string }) => {
      const params = { invitationId: id };
      if (verb === 'revoke') {
        await ask(organization.id, 'delete', '/api/v1/invitations/{invitationId}', { params });
        return undefined;
      }
      const path = '/api/v1/invitations/{invitationId}/resend';
      const sending = { headers: { 'Idempotency-Key': intentKey() } };
      return (await ask(organization.id, 'post', path, { params }, sending)).data;
    },
    onSuccess: (sent) => {
      if (sent === undefined) say('The invitation is taken back');
      else onSent(sent);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['invitations', organization.id] }),
  });
  if (rows.length === 0) return null;
  return (
    <Card title="Invitations">
      {act.isError && <Problem error={act.error} />}
      <Table
        label="Invitations"
        heads={['Address', 'Role', 'Status', 'Sent', 'Good until']}
        actions
      >
        {rows.map((row) => (
          <InvitationRow
            key={row.id}
            row={row}
            onAct={(verb) => act.mutate({ verb, id: row.id })}
          />
        ))}
      </Table>
    </Card>
  );
}

interface InvitationRowProps {
  readonly row: Invitation;
  readonly onAct: (verb: 'resend' | 'revoke') => void;
}

const InvitationRow = ({ row, onAct }: InvitationRowProps) => (
  <tr>
    <td>{row.email}</td>
    <td>{row.role}</td>
    <td>
      <Badge tone={row.status === 'OPEN' ? 'busy' : 'soft'}>{row.status.toLowerCase()}</Badge>
    </td>
    <td className={table.keep}>
      <When at={row.sentAt} />
    </td>
    <td className={table.keep}>
      <When at={row.expiresAt} />
    </td>
    <td className={`${table.end} ${table.keep}`}>
      {row.status === 'OPEN' && (
        <>
          <Button small look="quiet" onClick={() => onAct('resend')}>
            Send again
          </Button>
          <Button small look="bad" onClick={() => onAct('revoke')}>
            Take back
          </Button>
        </>
      )}
    </td>
  </tr>
);
