import { useInfiniteQuery } from '@tanstack/react-query';
import { databasesQuery } from '../../data/queries.ts';
import { useOrganization } from '../../shell/context.ts';

/** The name of a database by its ID. The ID itself stands for one that is deleted, or that is not among the first of the list. */
export function DatabaseName({ id }: { readonly id: string }) {
  const organization = useOrganization();
  const databases = useInfiniteQuery(databasesQuery(organization.id, { sort: 'name' }));
  const all = databases.data?.pages.flatMap(({ data }) => data);
  const name = all?.find((one) => one.id === id)?.name;
  return name === undefined ? <code>{id}</code> : <span title={id}>{name}</span>;
}
