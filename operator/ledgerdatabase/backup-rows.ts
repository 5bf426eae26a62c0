/** Metrics of each database's newest good backup, and of its last proof. */
import type { Labels } from '../../base/metrics/metrics.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';

/** Times in seconds since the UNIX epoch; none for a database without backups. */
export function backupRows(
  databases: readonly DatabaseObject[],
): readonly (readonly [Labels, number])[] {
  return databases.flatMap(({ metadata: { namespace = '', name }, status }) => {
    const { completedAt, lastVerifiedAt } = status?.backup ?? {};
    return Object.entries({ made: completedAt, verified: lastVerifiedAt }).flatMap(
      ([event, time]) =>
        time === undefined ? [] : [[{ namespace, name, event }, Date.parse(time) / 1_000] as const],
    );
  });
}
