/** Emits events about imports. */
import type { EventType } from '../model/event-types.ts';
import type { Import } from '../model/import.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import { lockImport } from '../store/imports.ts';

export function tellImport(
  change: Change,
  type: EventType & `import.${string}`,
  { id, organizationId, status, clusterId, replicaCount }: Import,
  about: {
    readonly database?: Database;
    readonly error?: { readonly code: string; readonly message: string };
  } = {},
): void {
  const { database, error } = about;
  change.emit({
    organizationId,
    type,
    subject: { type: 'import', id, display: id },
    ...(database && { databaseId: database.id }),
    ...(type === 'import.failed' && { outcome: 'FAILED' as const }),
    data: {
      import: { id, status, clusterId, replicaCount },
      ...(database && {
        database: { id: database.id, name: database.name, status: database.status },
      }),
      ...(error && { error }),
    },
  });
}

/** A database could not be made. If it was to begin with an import, the import gets an event, too. */
export async function tellFailed(
  change: Change,
  database: Database,
  error: { readonly code: string; readonly message: string },
): Promise<void> {
  if (database.importedFrom === null) return;
  const found = await lockImport(change, database.importedFrom.importId);
  if (found !== undefined) tellImport(change, 'import.failed', found, { database, error });
}
