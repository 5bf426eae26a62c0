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
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx';
import { Page } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Badge, Empty, Skeleton, type Tone } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { When } from '../../ui/When.tsx';
import { DatabaseName } from '../databases/DatabaseName.tsx';
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

export function Keys() {
  const organization = useOrganization();
  const [filter, setFilter] = useFilters(readKeyFilter);
  const isFiltered = Object.keys(filter).length > 0;
  const list = useInfiniteQuery(keysQuery(organization.id, filter));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [asked, setAsked] = useState<{
    readonly verb: 'renew' | 'revoke' | 'rotate';
    readonly key: ApiKey;
  }>();
  const close = () => setAsked(undefined);
  return (
    <Page
      title="API keys"
      about="Programs use them over HTTP and with the command line. A key belongs to the organization, not to who made it."
      actions={
        <Button look="main" onClick={() => setMaking(true)}>
          New key
        </Button>
      }
    >
      <KeyFilters filter={filter} onChange={setFilter} />
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
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
        <Table label="API keys" heads={['Name', 'Status', 'May', 'Last used', 'Ends']} actions>
          {rows.map((key) => (
            <Row key={key.id} row={key} onAsk={(verb) => setAsked({ verb, key })} />
          ))}
        </Table>
      )}
      {list.hasNextPage && (
        <p className={table.more}>
          {rows.length} keys, there are more
          <Button small busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </p>
      )}
      <NewKey open={making} onClose={() => setMaking(false)} onMade={setSecret} />
      <Secret secret={secret} onClose={() => setSecret(undefined)} />
      <RenewKey apiKey={asked?.verb === 'renew' ? asked.key : undefined} onClose={close} />
      <Sure
        asked={asked?.verb === 'renew' ? undefined : (asked as SureProps['asked'])}
        onClose={close}
        onSecret={setSecret}
      />
    </Page>
  );
}

interface RowProps {
  readonly row: ApiKey;
  readonly onAsk: (verb: 'renew' | 'revoke' | 'rotate') => void;
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
        {row.permissions.map((one) => (one === 'db:read' ? 'read' : 'write')).join(', ')}
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
        {row.expiresAt === null ? 'never' : <When at={row.rotationEndsAt ?? row.expiresAt} />}
      </td>
      <td className={`${table.end} ${table.keep}`}>
        {row.status === 'ACTIVE' && (
          <>
            <Button
              small
              look="quiet"
              aria-label={`Change end of ${said(row.name)}`}
              onClick={() => onAsk('renew')}
            >
              Change end
            </Button>
            <Button
              small
              look="quiet"
              aria-label={`Replace ${said(row.name)}`}
              onClick={() => onAsk('rotate')}
            >
              Replace
            </Button>
          </>
        )}
        {lives && (
          <Button
            small
            look="bad"
            aria-label={`Revoke ${said(row.name)}`}
            onClick={() => onAsk('revoke')}
          >
            Revoke
          </Button>
        )}
      </td>
    </tr>
  );
}

interface SureProps {
  readonly asked: { readonly verb: 'revoke' | 'rotate'; readonly key: ApiKey } | undefined;
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}

/** The question before a key is revoked or replaced. */
function Sure({ asked, onClose, onSecret }: SureProps) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const intent = useIntent();
  const act = useMutation({
    mutationFn: async ({ verb, key }: NonNullable<SureProps['asked']>) => {
      const params = { keyId: key.id };
      if (verb === 'revoke') {
        await ask(organization.id, 'delete', '/api/v1/api-keys/{keyId}', { params });
        return undefined;
      }
      const path = '/api/v1/api-keys/{keyId}/rotate';
      const { data } = await intent.try(key.id, (sending) =>
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
  const isRevoke = asked?.verb === 'revoke';
  return (
    <Dialog
      open={asked !== undefined}
      onClose={onClose}
      title={`${isRevoke ? 'Revoke' : 'Replace'} ${said(asked?.key.name ?? '')}?`}
      about={
        isRevoke
          ? 'It stops working within five seconds, and cannot be brought back.'
          : 'The new key may do the same. The old one goes on working for a day.'
      }
    >
      {act.isError && <Problem error={act.error} />}
      <DialogButtons>
        <Button onClick={onClose}>Leave it</Button>
        <Button
          look={isRevoke ? 'bad' : 'main'}
          busy={act.isPending}
          onClick={() => asked !== undefined && act.mutate(asked)}
        >
          {isRevoke ? 'Revoke key' : 'Replace key'}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
