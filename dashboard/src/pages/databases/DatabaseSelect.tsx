import { useQuery } from '@tanstack/react-query';
import { databaseNamesQuery } from '../../data/queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { ReadSelect } from '../../ui/ReadSelect.tsx';

interface Props {
  readonly label?: string;
  /** Label of the choice of all databases. */
  readonly all: string;
  /** ID of a database; empty: all. */
  readonly value: string;
  readonly error: string | undefined;
  readonly onChoose: (databaseId: string) => void;
}

/** All databases, or one of them. */
export function DatabaseSelect({ label = 'Databases', all, value, error, onChoose }: Props) {
  const organization = useOrganization();
  const names = useQuery(databaseNamesQuery(organization.id));
  const rows = names.data ?? [];
  return (
    <ReadSelect
      read={names}
      label={label}
      value={value}
      error={error}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">{all}</option>
      {/* A deleted one. */}
      {value !== '' && !rows.some(({ id }) => id === value) && (
        <option value={value}>{value}</option>
      )}
      {rows.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </ReadSelect>
  );
}

/** The scope of the choice. */
export const scopeOf = (databaseId: string) =>
  databaseId === '' ? ({ type: 'ALL' } as const) : ({ type: 'DATABASE', databaseId } as const);
