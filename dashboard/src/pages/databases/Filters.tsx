import { useEffect, useState } from 'react';
import { Checkbox, Input, Select } from '../../ui/Field.tsx';
import styles from './Filters.module.css';
import { statuses, type ListSearch } from './search.ts';

const waitMs = 300;

interface Props {
  readonly search: ListSearch;
  readonly onChange: (search: ListSearch) => void;
}

const without = (search: ListSearch, name: keyof ListSearch): ListSearch => {
  const { [name]: _left, ...rest } = search;
  return rest;
};

/** Search and filters, kept in the address. */
export function Filters({ search, onChange }: Props) {
  const [text, setText] = useState(search.q ?? '');
  useEffect(() => {
    if (text === (search.q ?? '')) return undefined;
    const timer = setTimeout(
      () => onChange(text === '' ? without(search, 'q') : { ...search, q: text }),
      waitMs,
    );
    return () => clearTimeout(timer);
  }, [text, search, onChange]);
  return (
    <search className={styles.filters}>
      <Input
        label="Part of the name"
        type="search"
        maxLength={63}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Select
        label="Status"
        value={search.status ?? ''}
        onChange={(event) => {
          const status = statuses.find((one) => one === event.target.value);
          onChange(status === undefined ? without(search, 'status') : { ...search, status });
        }}
      >
        <option value="">Any</option>
        {statuses.map((one) => (
          <option key={one} value={one}>
            {one.charAt(0) + one.slice(1).toLowerCase()}
          </option>
        ))}
      </Select>
      <Select
        label="Order"
        value={search.sort ?? ''}
        onChange={(event) => {
          const { value } = event.target;
          const sort = value === 'name' || value === 'createdAt' ? value : undefined;
          onChange(sort === undefined ? without(search, 'sort') : { ...search, sort });
        }}
      >
        <option value="">Newest first</option>
        <option value="createdAt">Oldest first</option>
        <option value="name">By name</option>
      </Select>
      <div className={styles.check}>
        <Checkbox
          label="Deleted ones, too"
          checked={search.deleted === true}
          onChange={(event) =>
            onChange(
              event.target.checked ? { ...search, deleted: true } : without(search, 'deleted'),
            )
          }
        />
      </div>
    </search>
  );
}
