import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { said } from '../../lib/said.ts';
import { databasesQuery } from '../../data/queries.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Page } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { More } from '../../ui/More.tsx';
import { Empty, Outdated, Skeleton } from '../../ui/States.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { DatabaseTable } from './DatabaseTable.tsx';
import { Filters } from './Filters.tsx';
import { Introduction } from './Introduction.tsx';
import { readListSearch } from './search.ts';

export function Databases() {
  const organization = useOrganization();
  const [search, change] = useFilters(readListSearch);
  const list = useInfiniteQuery(databasesQuery(organization.id, search));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const isFiltered = Object.keys(search).some((name) => name !== 'sort');
  const refused = whyNot(organization, 'createDatabase');
  const newButton =
    refused === undefined ? (
      <Link
        to="/o/$slug/databases/new"
        params={{ slug: organization.slug }}
        className={buttonClass('main')}
      >
        <Plus size={16} aria-hidden />
        New database
      </Link>
    ) : (
      <Button look="main" disabledReason={refused}>
        <Plus size={16} aria-hidden />
        New database
      </Button>
    );
  return (
    <Page title="Databases" actions={newButton}>
      <Filters search={search} onChange={change} />
      <Failed read={list} />
      {list.isPending && <Skeleton lines={6} />}
      {list.isSuccess && rows.length === 0 && isFiltered && (
        <Empty
          title="No database matches"
          action={<Button onClick={() => change({})}>Show all</Button>}
        >
          No database of {said(organization.name)} has all that the filters ask for.
        </Empty>
      )}
      {list.isSuccess && rows.length === 0 && !isFiltered && (
        <Empty title="No database yet" action={newButton}>
          A database is a ledger of its own: accounts, and transfers between them, which are never
          lost and never changed. The first one is there in about a minute.
        </Empty>
      )}
      {rows.length > 0 && (
        <Outdated when={list.isPlaceholderData}>
          <DatabaseTable rows={rows} slug={organization.slug} />
        </Outdated>
      )}
      {list.isSuccess && !isFiltered && <Introduction database={rows[0]} />}
      <More list={list} count={rows.length} what="databases" />
    </Page>
  );
}
