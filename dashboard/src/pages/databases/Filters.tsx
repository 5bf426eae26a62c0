import { given } from '../../lib/search.ts';
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
