import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { said } from '../../lib/said.ts';
import type { Invitation, Member, RemovedMember, SentInvitation } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { invitationsQuery, membersQuery } from '../../data/settings-queries.ts';
import { given } from '../../lib/search.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Code } from '../../ui/Code.tsx';
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Card, Page } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Problem } from '../../ui/Problem.tsx';
import styles from '../../ui/Filters.module.css';
import { FilterSelect } from '../../ui/FilterSelect.tsx';
import { SearchInput } from '../../ui/SearchInput.tsx';
import { Badge, Empty, Outdated, Skeleton } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { When } from '../../ui/When.tsx';
import { DatabaseNames } from '../databases/DatabaseName.tsx';
import { ChangeMember } from './ChangeMember.tsx';
import { readMemberFilter } from './filter.ts';
import { Invite } from './Invite.tsx';
import { RemoveMember } from './RemoveMember.tsx';
import { roles } from './roles.ts';

export function Members() {
  const organization = useOrganization();
  const [inviting, setInviting] = useState(false);
  const [sent, setSent] = useState<SentInvitation>();
  const [removed, setRemoved] = useState<RemovedMember>();
  const [filter, setFilter] = useFilters(readMemberFilter);
  const isFiltered = Object.keys(filter).length > 0;
  const list = useInfiniteQuery(membersQuery(organization.id, filter));
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
      <search className={styles.filters}>
        <SearchInput
          label="Part of the name or address"
          maxLength={100}
          value={filter.q}
          onChange={(q) => setFilter(given({ ...filter, q }))}
        />
        <FilterSelect
          label="Role"
          choices={roles.map(({ id }) => [id, id])}
          value={filter.role}
          onChange={(role) => setFilter(given({ ...filter, role }))}
        />
      </search>
      <Failed read={list} />
      {list.isPending && <Skeleton />}
      {list.isSuccess && rows.length === 0 && isFiltered && (
        <Empty
          title="No member matches"
          action={<Button onClick={() => setFilter({})}>Show all</Button>}
        >
          No member has all that the filters ask for.
        </Empty>
      )}
      {list.isSuccess && rows.length === 0 && !isFiltered && (
        <Empty title="No member yet">
          The local administrator acts here without being a member. Invite the first owner.
        </Empty>
      )}
      {rows.length > 0 && (
        <Outdated when={list.isPlaceholderData}>
          <Table label="Members" heads={['Name', 'Role', 'Databases', 'Since']} actions>
            {rows.map((member) => (
              <MemberRow key={member.id} member={member} onRemoved={setRemoved} />
            ))}
          </Table>
        </Outdated>
      )}
      <More list={list} count={rows.length} what="members" />
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
      <Left removed={removed} onClose={() => setRemoved(undefined)} />
      <Invite open={inviting} onClose={() => setInviting(false)} onSent={setSent} />
      <Dialog
        open={sent !== undefined}
        onClose={() => setSent(undefined)}
        title={`${said(sent?.invitation.email ?? '')} is invited`}
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

interface MemberRowProps {
  readonly member: Member;
  readonly onRemoved: (removed: RemovedMember) => void;
}

function MemberRow({ member, onRemoved }: MemberRowProps) {
  const [asked, setAsked] = useState<'change' | 'remove'>();
  const close = () => setAsked(undefined);
  const { databaseScope: scope } = member;
  const name = said(member.user.name);
  return (
    <tr>
      <td>
        <span className={table.name}>{name}</span>
        <div className={table.soft}>{member.user.email}</div>
      </td>
      <td>{member.role}</td>
      <td>{scope.type === 'ALL' ? 'all' : <DatabaseNames ids={scope.databaseIds} />}</td>
      <td className={table.keep}>
        <When at={member.createdAt} />
      </td>
      <td className={`${table.end} ${table.keep}`}>
        <Button small look="quiet" aria-label={`Change ${name}`} onClick={() => setAsked('change')}>
          Change
        </Button>
        <Button small look="bad" aria-label={`Remove ${name}`} onClick={() => setAsked('remove')}>
          Remove
        </Button>
        <Dialog open={asked === 'change'} onClose={close} title={`Change ${name}`}>
          <ChangeMember member={member} onClose={close} />
        </Dialog>
        <Dialog
          open={asked === 'remove'}
          onClose={close}
          title={`Remove ${name}?`}
          about="Their access ends at once."
        >
          <RemoveMember member={member} onClose={close} onRemoved={onRemoved} />
        </Dialog>
      </td>
    </tr>
  );
}

interface LeftProps {
  readonly removed: RemovedMember | undefined;
  readonly onClose: () => void;
}

/** What a removed member made and what stays. */
const Left = ({ removed, onClose }: LeftProps) => {
  const keys = removed?.apiKeys ?? [];
  const invitations = removed?.invitations ?? [];
  return (
    <Dialog
      open={keys.length + invitations.length > 0}
      onClose={onClose}
      title={`${said(removed?.member.user.name ?? '')} left something behind`}
      about="It belongs to the organization and stays until somebody revokes it."
    >
      <ul>
        {keys.map((key) => (
          <li key={key.id}>
            The key {said(key.name)} (<code>{key.prefix}</code>)
          </li>
        ))}
        {invitations.map((one) => (
          <li key={one.id}>The invitation of {said(one.email)}</li>
        ))}
      </ul>
      <DialogButtons>
        <Button look="main" onClick={onClose}>
          Done
        </Button>
      </DialogButtons>
    </Dialog>
  );
};

function Invitations({ onSent }: { readonly onSent: (sent: SentInvitation) => void }) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const list = useInfiniteQuery(invitationsQuery(organization.id));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const intent = useIntent();
  const act = useMutation({
    mutationFn: async ({ verb, id }: { verb: 'resend' | 'revoke'; id: string }) => {
      const params = { invitationId: id };
      if (verb === 'revoke') {
        await ask(organization.id, 'delete', '/api/v1/invitations/{invitationId}', { params });
        return undefined;
      }
      const path = '/api/v1/invitations/{invitationId}/resend';
      const { data } = await intent.try(id, (sending) =>
        ask(organization.id, 'post', path, { params }, sending),
      );
      return data;
    },
    onSuccess: (sent) => {
      if (sent === undefined) say('The invitation is taken back');
      else onSent(sent);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['invitations', organization.id] }),
  });
  return (
    <Card title="Invitations">
      <Failed read={list} />
      {act.isError && <Problem error={act.error} />}
      {list.isPending && <Skeleton lines={1} />}
      {list.isSuccess && rows.length === 0 && <p className={table.soft}>Nobody is invited.</p>}
      {rows.length > 0 && (
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
      )}
      <More list={list} count={rows.length} what="invitations" />
    </Card>
  );
}

interface InvitationRowProps {
  readonly row: Invitation;
  readonly onAct: (verb: 'resend' | 'revoke') => void;
}

const InvitationRow = ({ row, onAct }: InvitationRowProps) => (
  <tr>
    <td>
      <span className={table.words}>{said(row.email)}</span>
    </td>
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
          <Button
            small
            look="quiet"
            aria-label={`Send again the invitation of ${said(row.email)}`}
            onClick={() => onAct('resend')}
          >
            Send again
          </Button>
          <Button
            small
            look="bad"
            aria-label={`Take back the invitation of ${said(row.email)}`}
            onClick={() => onAct('revoke')}
          >
            Take back
          </Button>
        </>
      )}
    </td>
  </tr>
);
