/** Metric of the expiry of databases' certificates. They are renewed long before, unless something prevents it. */
import type { Labels } from '../../base/metrics/metrics.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { expiryMs, shownOf } from '../certificates/generations.ts';

/** End of the certificate that each database's members show, in seconds since the UNIX epoch. */
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
