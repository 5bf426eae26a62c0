import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member } from '../../../../gen/api.ts';
import { databaseNamesQuery } from '../../data/queries.ts';
import { useOrganization } from '../../shell/context.ts';
import { Checkbox, Input, Select } from '../../ui/Field.tsx';
import form from '../../ui/Form.module.css';
import { Failed } from '../../ui/Failed.tsx';
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
  const [part, setPart] = useState('');
  if (list.isPending) return <Skeleton lines={3} />;
  if (list.data === undefined) return <Failed read={list} />;
  const choices = [
    ...rows.map(({ id, name }) => [id, name] as const),
    ...unseen.map((id) => [id, id] as const),
  ];
  return (
    <fieldset className={form.form}>
      <legend>{`These databases: ${chosen.length} of ${choices.length}`}</legend>
      {choices.length > fewChoices && (
        <Input
          label="Part of the name"
          type="search"
          autoComplete="off"
          value={part}
          onChange={(event) => setPart(event.target.value)}
          // It searches, and does not send the form.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      <div className={form.choices}>
        {choices
          .filter(([, name]) => name.includes(part.trim().toLowerCase()))
          .map(([id, name]) => (
            <Checkbox
              key={id}
              label={name}
              checked={chosen.includes(id)}
              onChange={(event) =>
                onChoose(
                  event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id),
                )
              }
            />
          ))}
      </div>
    </fieldset>
  );
}

/** More choices than this are searched. */
const fewChoices = 8;

/** Why the standing cannot be sent. */
export const whyIncomplete = ({ databaseScope: scope }: Standing): string | undefined =>
  scope.type === 'DATABASES' && scope.databaseIds.length === 0
    ? 'Choose at least one database.'
    : undefined;
