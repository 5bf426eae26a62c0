import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useRouteContext, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Organization } from '../../../../gen/api.ts';
import { useIntent } from '../../data/intent.ts';
import {
  organizationsQuery,
  renewOrganizations,
  restoreOrganization,
} from '../../data/organization-queries.ts';
import { said } from '../../lib/said.ts';
import { say } from '../../ui/announcer.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Field.tsx';
import { Page } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Badge, Empty, Skeleton, type Tone } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import { When } from '../../ui/When.tsx';

const tones: Readonly<Record<Organization['status'], Tone>> = {
  ACTIVE: 'good',
  SUSPENDED: 'warn',
  DELETED: 'soft',
};

/** The organizations of the caller; all of them for the administrator of the installation. */
export function OrganizationsPage() {
  const { session } = useRouteContext({ from: '__root__' });
  const administers = session.user?.administrator === true;
  const [deleted, setDeleted] = useState(false);
  const list = useInfiniteQuery(organizationsQuery(deleted));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Page
      title="Organizations"
      about={administers ? 'All organizations of this installation.' : 'Those that you belong to.'}
      actions={
        administers && (
          <Link className={buttonClass('main')} to="/organizations/new">
            New organization
          </Link>
        )
      }
    >
      {administers && (
        <Checkbox
          label="Deleted ones, too"
          checked={deleted}
          onChange={(event) => setDeleted(event.target.checked)}
        />
      )}
      <Failed read={list} />
      {list.isPending && <Skeleton />}
      {list.isSuccess && rows.length === 0 && (
        <Empty title="No organization">Databases belong to organizations.</Empty>
      )}
      {rows.length > 0 && (
        <Table
          label="Organizations"
          heads={[
            'Name',
            'Short name',
            'Status',
            { title: 'Databases at most', end: true },
            'Made',
          ]}
          actions
        >
          {rows.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </Table>
      )}
      <More list={list} count={rows.length} what="organizations" />
    </Page>
  );
}

const Row = ({ row }: { readonly row: Organization }) => (
  <tr>
    <td>
      {row.status === 'DELETED' ? (
        <span className={table.name}>{said(row.name)}</span>
      ) : (
        <Link to="/o/$slug/databases" params={{ slug: row.slug }} className={table.name}>
          {said(row.name)}
        </Link>
      )}
    </td>
    <td className={table.keep}>
      <code>{row.slug}</code>
    </td>
    <td>
      <Badge tone={tones[row.status]}>{row.status.toLowerCase()}</Badge>
      {row.suspensionReason !== null && (
        <div className={table.soft}>{said(row.suspensionReason)}</div>
      )}
      {row.purgeAt !== null && (
        <div className={table.soft}>
          gone for good <When at={row.purgeAt} />
        </div>
      )}
    </td>
    <td className={table.end}>{row.databasesMax ?? 'as usual'}</td>
    <td className={table.keep}>
      <When at={row.createdAt} />
    </td>
    <td className={`${table.end} ${table.keep}`}>
      {row.status === 'DELETED' ? (
        <Restore row={row} />
      ) : (
        <Link
          className={buttonClass('plain', true)}
          to="/o/$slug/settings/organization"
          params={{ slug: row.slug }}
          aria-label={`Settings of ${said(row.name)}`}
        >
          Settings
        </Link>
      )}
    </td>
  </tr>
);

function Restore({ row }: { readonly row: Organization }) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const intent = useIntent();
  const restore = useMutation({
    mutationFn: () => intent.try(row.id, ({ headers }) => restoreOrganization(row.id, headers)),
    onSuccess: async () => {
      say(`${said(row.name)} is there again`);
      await renewOrganizations(queryClient);
      await router.invalidate();
    },
  });
  return (
    <>
      {restore.isError && <Problem error={restore.error} />}
      <Button
        small
        busy={restore.isPending}
        aria-label={`Restore ${said(row.name)}`}
        onClick={() => restore.mutate()}
      >
        Restore
      </Button>
    </>
  );
}
