import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { databaseNamesQuery } from '../../data/queries.ts';
import { useOrganization } from '../../shell/context.ts';

/** The name of a database by its ID. The ID itself stands for one that is deleted. */
export function DatabaseName({ id }: { readonly id: string }) {
  const organization = useOrganization();
  const databases = useQuery(databaseNamesQuery(organization.id));
  const name = databases.data?.find((one) => one.id === id)?.name;
  return name === undefined ? <code>{id}</code> : <span title={id}>{name}</span>;
}

/** With more names than this, a row would be higher than the window. */
const fewNames = 4;

/** The names of several databases; those of many are there when somebody asks for them. */
export const DatabaseNames = ({ ids }: { readonly ids: readonly string[] }) =>
  ids.length <= fewNames ? (
    <Names ids={ids} />
  ) : (
    <details>
      <summary>{ids.length} databases</summary>
      <Names ids={ids} />
    </details>
  );

const Names = ({ ids }: { readonly ids: readonly string[] }) =>
  ids.map((id, index) => (
    <Fragment key={id}>
      {index > 0 && ', '}
      <DatabaseName id={id} />
    </Fragment>
  ));
