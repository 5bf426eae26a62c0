/** Databases' conditions as metrics, so that alerts need not read the API. */
import type { Labels } from '../../base/metrics/metrics.ts';
import { ConditionType } from '../../domain/conditions.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { hasBegun } from '../../domain/fill.ts';

/** Conditions that alerts use, and `Suspended`, for which there is no alert: the person who suspends a database knows. */
const measured = new Set<string>([
  ConditionType.Available,
  ConditionType.Ready,
  ConditionType.Stalled,
  ConditionType.ReplicasHealthy,
  ConditionType.StorageReady,
  ConditionType.Suspended,
  ConditionType.BackupHealthy,
  ConditionType.ContinuousArchiving,
  ConditionType.ChangeDataCaptureHealthy,
]);
const values = { True: 1, False: 0, Unknown: -1 } as const;

export function conditionRows(
  databases: readonly DatabaseObject[],
): readonly (readonly [Labels, number])[] {
  return databases.flatMap(({ metadata, status }) =>
    (status?.conditions ?? [])
      .filter((condition) => measured.has(condition.type))
      .map((condition) => {
        const { namespace = '', name } = metadata;
        return [{ namespace, name, type: condition.type }, values[condition.status]] as const;
      }),
  );
}

/** Whether each database has ever run completely: there are no alerts for one that is being made. */
export const startedRows = (
  databases: readonly DatabaseObject[],
): readonly (readonly [Labels, number])[] =>
  databases.map(({ metadata: { namespace = '', name }, status }) => [
    { namespace, name },
    status?.version?.active === undefined || !hasBegun(status) ? 0 : 1,
  ]);
