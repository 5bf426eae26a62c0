import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { catalogQuery, databasesQuery } from '../../data/queries.ts';
import { given } from '../../lib/search.ts';
import { useOrganization } from '../../shell/context.ts';
import { Checkbox } from '../../ui/Field.tsx';
import styles from '../../ui/Filters.module.css';
import { FilterSelect } from '../../ui/FilterSelect.tsx';
import { SearchInput } from '../../ui/SearchInput.tsx';
import { statuses, type ListSearch } from './search.ts';

const orders = [
  ['createdAt', 'Oldest first'],
  ['name', 'By name'],
] as const;

interface Props {
  readonly search: ListSearch;
  readonly onChange: (search: ListSearch) => void;
}

/** Search and filters, kept in the address. */
export const Filters = ({ search, onChange }: Props) => {
  const set = <K extends keyof ListSearch>(name: K, value: ListSearch[K] | undefined) =>
    onChange(given({ ...search, [name]: value }));
  return (
    <search className={styles.filters}>
      <SearchInput
        label="Part of the name"
        maxLength={63}
        value={search.q}
        onChange={(q) => set('q', q)}
      />
      <FilterSelect
        label="Status"
        choices={statuses.map((one) => [one, one.charAt(0) + one.slice(1).toLowerCase()])}
        value={search.status}
        onChange={(status) => set('status', status)}
      />
      <Places search={search} onChange={onChange} />
      <SearchInput
        label="Label"
        placeholder="team=payments"
        maxLength={320}
        value={search.label}
        onChange={(label) => set('label', label)}
      />
      <FilterSelect
        label="Order"
        any="Newest first"
        choices={orders}
        value={search.sort}
        onChange={(sort) => set('sort', sort)}
      />
      <div className={styles.check}>
        <Checkbox
          label="Deleted ones, too"
          checked={search.deleted === true}
          onChange={(event) => set('deleted', event.target.checked || undefined)}
        />
      </div>
    </search>
  );
};

/** Where a database is. A choice of one is none. */
function Places({ search, onChange }: Props) {
  const places = usePlaces();
  const { provider, region, ...rest } = search;
  const providers = choicesOf(
    places.map((place) => place.provider),
    provider,
  );
  const within = places.filter((place) => place.provider === (provider ?? place.provider));
  const regions = choicesOf(
    within.map((place) => place.region),
    region,
  );
  return (
    <>
      {(providers.length > 1 || provider !== undefined) && (
        <FilterSelect
          label="Provider"
          choices={providers}
          value={provider}
          onChange={(chosen) => onChange(given({ ...rest, provider: chosen }))}
        />
      )}
      {(regions.length > 1 || region !== undefined) && (
        <FilterSelect
          label="Region"
          choices={regions}
          value={region}
          onChange={(chosen) => onChange(given({ ...rest, provider, region: chosen }))}
        />
      )}
    </>
  );
}

interface Place {
  readonly provider: string;
  readonly region: string;
}

/** Places of the organization's databases, and all of the catalog if there are more databases than one page has. */
function usePlaces(): readonly Place[] {
  const { id } = useOrganization();
  const list = useInfiniteQuery({
    ...databasesQuery(id, { sort: 'name' }),
    refetchInterval: false,
  });
  const catalog = useQuery({ ...catalogQuery(id), enabled: list.hasNextPage });
  const regions = catalog.data?.regions ?? [];
  return [
    ...(list.data?.pages.flatMap(({ data }) => data) ?? []),
    ...regions.map((one) => ({ provider: one.providerId, region: one.id })),
  ];
}

/** `chosen` can be a place in which no database is any more. */
const choicesOf = (places: readonly string[], chosen: string | undefined) =>
  [...new Set(chosen === undefined ? places : [...places, chosen])]
    .sort()
    .map((place) => [place, place] as const);
