import { useQuery } from '@tanstack/react-query';
import { databaseNamesQuery } from '../../data/queries.ts';
import { useOrganization } from '../../shell/context.ts';

/** The name of a database by its ID. The ID itself stands for one that is deleted. */
export function DatabaseName({ id }: { readonly id: string }) {
  const organization = useOrganization();
  const databases = useQuery(databaseNamesQuery(organization.id));
  const name = databases.data?.find((one) => one.id === id)?.name;
  return name === undefined ? <code>{id}</code> : <span title={id}>{name}</span>;
}
