import type { KeyFilter } from '../../data/settings-queries.ts';
import { given } from '../../lib/search.ts';
import styles from '../../ui/Filters.module.css';
import { FilterSelect } from '../../ui/FilterSelect.tsx';
import { SearchInput } from '../../ui/SearchInput.tsx';
import { DatabaseSelect } from '../databases/DatabaseSelect.tsx';
import { ends, permissions, statuses } from './filter.ts';

interface Props {
  readonly filter: KeyFilter;
  readonly onChange: (filter: KeyFilter) => void;
}

export const KeyFilters = ({ filter, onChange }: Props) => {
  const set = <K extends keyof KeyFilter>(name: K, value: KeyFilter[K] | undefined) =>
    onChange(given({ ...filter, [name]: value }));
  return (
    <search className={styles.filters}>
      <SearchInput
        label="Part of the name"
        maxLength={100}
        value={filter.q}
        onChange={(q) => set('q', q)}
      />
      <FilterSelect
        label="Status"
        choices={statuses}
        value={filter.status}
        onChange={(status) => set('status', status)}
      />
      <FilterSelect
        label="May"
        any="Anything"
        choices={permissions}
        value={filter.permission}
        onChange={(permission) => set('permission', permission)}
      />
      <DatabaseSelect
        label="Database"
        all="Any"
        value={filter.databaseId ?? ''}
        error={undefined}
        onChoose={(id) => set('databaseId', id === '' ? undefined : id)}
      />
      <FilterSelect
        label="Ends"
        any="At any time"
        choices={ends}
        value={filter.endsWithin}
        onChange={(within) => set('endsWithin', within)}
      />
    </search>
  );
};
