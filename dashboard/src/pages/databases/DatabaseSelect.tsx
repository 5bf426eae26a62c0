import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { databaseNamesQuery } from '../../data/queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Field.tsx';

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
    <Select
      label={label}
      value={value}
      hint={names.data === undefined && <Missing names={names} />}
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
    </Select>
  );
}

/** Says that there are more databases than can be chosen. */
const Missing = ({ names }: { readonly names: Pick<UseQueryResult, 'isError' | 'refetch'> }) =>
  names.isError ? (
    <>
      The names could not be read.{' '}
      <Button small onClick={() => void names.refetch()}>
        Read them again
      </Button>
    </>
  ) : (
    'The names are being read.'
  );

/** The scope of the choice. */
export const scopeOf = (databaseId: string) =>
  databaseId === '' ? ({ type: 'ALL' } as const) : ({ type: 'DATABASE', databaseId } as const);
