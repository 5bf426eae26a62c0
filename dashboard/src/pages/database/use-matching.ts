/** Sends changes of a database that are refused if a person changed it meanwhile. */
import { useQueryClient } from '@tanstack/react-query';
import type { Database } from '../../../../gen/api.ts';
import { ifMatch } from '../../data/if-match.ts';
import { isProblem } from '../../data/problem-error.ts';
import { databaseQuery } from '../../data/queries.ts';
import { useDatabase } from './use-database.ts';

/** The part of a database that people decide. Its observed state changes by itself, with the version. */
const decided = ({ name, status, deletionProtection, labels }: Database): string =>
  JSON.stringify([
    name,
    status,
    deletionProtection,
    Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);

/** The database as a person saw it when they began to change it, which may be a while ago. */
export interface Seen {
  readonly database: Database;
  readonly etag: string | undefined;
}

/**
 * Returns a function that sends a change with If-Match. If the database has another version meanwhile but people changed
 * nothing since they saw it, the change is sent once more with that version.
 */
export function useMatching() {
  const { database, etag, organizationId } = useDatabase();
  const queryClient = useQueryClient();
  return async <T>(
    send: (headers: ReturnType<typeof ifMatch>) => Promise<T>,
    seen: Seen = { database, etag },
  ): Promise<T> => {
    try {
      return await send(ifMatch(seen.etag));
    } catch (error) {
      if (!isProblem(error, 'precondition_failed')) throw error;
      const query = databaseQuery(organizationId, database.id);
      const fresh = await queryClient.fetchQuery({ ...query, staleTime: 0 });
      if (decided(fresh.data.database) !== decided(seen.database)) throw error;
      return send(ifMatch(fresh.etag));
    }
  };
}
