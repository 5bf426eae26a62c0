/** When databases' certificates end, as a metric: they are renewed long before, unless something keeps them from it. */
import type { Labels } from '../../base/metrics/metrics.ts';
import type { DatabaseObject } from '../../domain/custom-objects.ts';
import { expiryMs, shownOf } from '../certificates/generations.ts';

/** Seconds since the UNIX epoch, of what each database's members show. */
export function certificateRows(
  databases: readonly DatabaseObject[],
): readonly (readonly [Labels, number])[] {
  return databases.flatMap(({ metadata, status }) => {
    const shown = shownOf(status?.peerCertificates?.generations ?? []);
    if (shown === undefined) return [];
    const { namespace = '', name } = metadata;
    return [[{ namespace, name }, expiryMs(shown) / 1_000] as const];
  });
}
