import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { said } from '../../lib/said.ts';
import type { ApiKey } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { useIntent } from '../../data/intent.ts';
import { keysQuery } from '../../data/settings-queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Question } from '../../ui/Question.tsx';
import { Badge, Empty, Outdated, Skeleton, type Tone } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { When } from '../../ui/When.tsx';
import { DatabaseName } from '../databases/DatabaseName.tsx';
import { ChangeKey } from './ChangeKey.tsx';
import { readKeyFilter } from './filter.ts';
import { KeyFilters } from './KeyFilters.tsx';
import { NewKey } from './NewKey.tsx';
import { RenewKey } from './RenewKey.tsx';
import { Secret } from './Secret.tsx';

const tones: Readonly<Record<ApiKey['status'], Tone>> = {
  ACTIVE: 'good',
  ROTATING: 'warn',
  EXPIRED: 'soft',
  REVOKED: 'soft',
};

type Verb = 'change' | 'renew' | 'revoke' | 'rotate';

export function Keys() {
  const organization = useOrganization();
  const [filter, setFilter] = useFilters(readKeyFilter);
  const isFiltered = Object.keys(filter).length > 0;
  const list = useInfiniteQuery(keysQuery(organization.id, filter));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [asked, setAsked] = useState<{ readonly verb: Verb; readonly key: ApiKey }>();
  const askedTo = (verb: Verb) => (asked?.verb === verb ? asked.key : undefined);
  const close = () => setAsked(undefined);
  return (
    <Page
      title="API keys"
      about="Programs use them over HTTP and with the command line. A key belongs to the organization, not to the person who made it."
      actions={
        <Button look="main" onClick={() => setMaking(true)}>
          New key
        </Button>
      }
    >
      <KeyFilters filter={filter} onChange={setFilter} />
      <Failed read={list} />
      {list.isPending && <Skeleton lines={6} />}
      {list.isSuccess && rows.length === 0 && isFiltered && (
        <Empty
          title="No key matches"
          action={<Button onClick={() => setFilter({})}>Show all</Button>}
        >
          No key has all that the filters ask for.
        </Empty>
      )}
      {list.isSuccess && rows.length === 0 && !isFiltered && (
        <Empty title="No key yet">The first key lets a program read or write a ledger.</Empty>
      )}
      {rows.length > 0 && (
        <Outdated when={list.isPlaceholderData}>
          <Table label="API keys" heads={['Name', 'Status', 'May', 'Last used', 'Ends']} actions>
            {rows.map((key) => (
              <Row key={key.id} row={key} onAsk={(verb) => setAsked({ verb, key })} />
            ))}
          </Table>
        </Outdated>
      )}
      <More list={list} count={rows.length} what="keys" />
      <NewKey open={making} onClose={() => setMaking(false)} onMade={setSecret} />
      <Secret secret={secret} onClose={() => setSecret(undefined)} />
      <ChangeKey apiKey={askedTo('change')} onClose={close} />
      <RenewKey apiKey={askedTo('renew')} onClose={close} />
      <Sure
        revoked={askedTo('revoke')}
        replaced={askedTo('rotate')}
        onClose={close}
        onSecret={setSecret}
      />
    </Page>
  );
}

/** A key that is revoked has ended, whatever was planned. */
function End({ revokedAt, rotationEndsAt, expiresAt }: ApiKey) {
  const at = revokedAt ?? rotationEndsAt ?? expiresAt;
  return at === null ? 'never' : <When at={at} />;
}

interface RowProps {
  readonly row: ApiKey;
  readonly onAsk: (verb: Verb) => void;
}

function Row({ row, onAsk }: RowProps) {
  const lives = row.status === 'ACTIVE' || row.status === 'ROTATING';
  return (
    <tr>
      <td>
        <span className={table.name}>{said(row.name)}</span>
        <div className={table.soft}>
          <code>
            {row.prefix}…{row.lastFour}
          </code>{' '}
          by {said(row.createdBy.display)}
        </div>
      </td>
      <td>
        <Badge tone={tones[row.status]}>{row.status.toLowerCase()}</Badge>
      </td>
      <td>
        <span className={table.keep}>
          {row.permissions.map((one) => (one === 'db:read' ? 'read' : 'write')).join(', ')}
        </span>
        <div className={table.soft}>
          {row.databaseScope.type === 'ALL' ? (
            'all databases'
          ) : (
            <DatabaseName id={row.databaseScope.databaseId} />
          )}
        </div>
        {row.ipAllowList.length > 0 && (
          <div className={table.soft}>from {row.ipAllowList.join(', ')}</div>
        )}
      </td>
      <td className={table.keep}>
        {row.lastUsedAt === null ? 'never' : <When at={row.lastUsedAt} />}
        {row.lastUsedIp !== null && <div className={table.soft}>{row.lastUsedIp}</div>}
      </td>
      <td className={table.keep}>
        <End {...row} />
      </td>
      <td className={table.end}>
        <div className={table.acts}>
          {lives && <Act row={row} verb="change" title="Change" onAsk={onAsk} />}
          {row.status === 'ACTIVE' && (
            <>
              <Act row={row} verb="renew" title="Change end" onAsk={onAsk} />
              <Act row={row} verb="rotate" title="Replace" onAsk={onAsk} />
            </>
          )}
          {lives && <Act row={row} verb="revoke" title="Revoke" onAsk={onAsk} />}
        </div>
      </td>
    </tr>
  );
}

interface ActProps extends RowProps {
  readonly verb: Verb;
  readonly title: string;
}

/** A button of a row. Its name for screen readers says which key is meant. */
const Act = ({ row, verb, title, onAsk }: ActProps) => (
  <Button
    small
    look={verb === 'revoke' ? 'bad' : 'quiet'}
    aria-label={`${title === 'Change end' ? 'Change end of' : title} ${said(row.name)}`}
    onClick={() => onAsk(verb)}
  >
    {title}
  </Button>
);

interface SureProps {
  readonly revoked: ApiKey | undefined;
  readonly replaced: ApiKey | undefined;
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}

/** The question before a key is revoked or replaced. */
function Sure({ revoked, replaced, onClose, onSecret }: SureProps) {
  const key = revoked ?? replaced;
  const isRevoke = revoked !== undefined;
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const intent = useIntent();
  const act = useMutation({
    mutationFn: async ({ id }: ApiKey) => {
      const params = { keyId: id };
      if (isRevoke) {
        await ask(organization.id, 'delete', '/api/v1/api-keys/{keyId}', { params });
        return undefined;
      }
      const path = '/api/v1/api-keys/{keyId}/rotate';
      const { data } = await intent.try(id, (sending) =>
        ask(organization.id, 'post', path, { params, body: {} }, sending),
      );
      return data.secret;
    },
    onSuccess: (secret) => {
      onClose();
      if (secret === undefined) say('The key is revoked; it stops working within five seconds');
      else onSecret(secret);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['keys', organization.id] }),
  });
  return (
    <Question
      open={key !== undefined}
      onClose={onClose}
      title={`${isRevoke ? 'Revoke' : 'Replace'} ${said(key?.name ?? '')}?`}
      about={
        isRevoke
          ? 'It stops working within five seconds, and cannot be brought back.'
          : 'The new key may do the same. The old one goes on working for a day.'
      }
      leave="Leave it"
      make={isRevoke ? 'Revoke key' : 'Replace key'}
      look={isRevoke ? 'bad' : 'main'}
      act={act}
      onMake={() => key !== undefined && act.mutate(key)}
    />
  );
}
