import { useQuery } from '@tanstack/react-query';
import type { Member } from '../../../../gen/api.ts';
import { databaseNamesQuery } from '../../data/queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { Checkbox, Select } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { isRestrictable, roles, type Role } from './roles.ts';

export interface Standing {
  readonly role: Role;
  readonly databaseScope: Member['databaseScope'];
}

interface Props {
  readonly standing: Standing;
  readonly error: string | undefined;
  readonly onChange: (standing: Standing) => void;
}

const everything = { type: 'ALL' } as const;

/** The role of a member, and the databases to which it is restricted. */
export function StandingFields({ standing, error, onChange }: Props) {
  const organization = useOrganization();
  const { role, databaseScope: scope } = standing;
  const mayOwners = organization.rights.includes('manageOwners');
  const choose = (role: Role) =>
    onChange({ role, databaseScope: isRestrictable(role) ? scope : everything });
  return (
    <>
      <Select
        label="Role"
        value={role}
        hint={roles.find(({ id }) => id === role)?.about}
        onChange={(event) => choose(roles.find(({ id }) => id === event.target.value)?.id ?? role)}
      >
        {roles
          .filter(({ id }) => mayOwners || id !== 'owner' || role === 'owner')
          .map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
      </Select>
      {isRestrictable(role) && (
        <Select
          label="Databases"
          value={scope.type}
          hint={scope.type === 'ALL' ? 'Also those that are made later.' : undefined}
          error={error}
          onChange={(event) =>
            onChange({
              role,
              databaseScope:
                event.target.value === 'ALL' ? everything : { type: 'DATABASES', databaseIds: [] },
            })
          }
        >
          <option value="ALL">All</option>
          <option value="DATABASES">Only some</option>
        </Select>
      )}
      {scope.type === 'DATABASES' && (
        <Databases
          chosen={scope.databaseIds}
          onChoose={(databaseIds) =>
            onChange({ role, databaseScope: { type: 'DATABASES', databaseIds } })
          }
        />
      )}
    </>
  );
}

interface DatabasesProps {
  readonly chosen: readonly string[];
  readonly onChoose: (databaseIds: string[]) => void;
}

function Databases({ chosen, onChoose }: DatabasesProps) {
  const organization = useOrganization();
  const list = useQuery(databaseNamesQuery(organization.id));
  const rows = list.data ?? [];
  // Deleted ones stay chosen.
  const unseen = chosen.filter((id) => !rows.some((row) => row.id === id));
  if (list.isPending) return <Skeleton lines={3} />;
  if (list.isError) return <Problem error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <fieldset className={form.form}>
      <legend>These databases</legend>
      {[
        ...rows.map(({ id, name }) => [id, name] as const),
        ...unseen.map((id) => [id, id] as const),
      ].map(([id, name]) => (
        <Checkbox
          key={id}
          label={name}
          checked={chosen.includes(id)}
          onChange={(event) =>
            onChoose(event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
          }
        />
      ))}
    </fieldset>
  );
}

/** Why the standing cannot be sent. */
export const whyIncomplete = ({ databaseScope: scope }: Standing): string | undefined =>
  scope.type === 'DATABASES' && scope.databaseIds.length === 0
    ? 'Choose at least one database.'
    : undefined;
