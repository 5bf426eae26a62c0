/**
 * Reasons why pods could not be made. The status of StatefulSets and Jobs does not contain them: their controllers report
 * them in events only, which are read only while pods are missing.
 */
import { resources, type Event } from '../../domain/kinds.ts';
import { ApiError, type Kube } from '../../base/kube/kube.ts';
import type { PodRefusal } from './observation.ts';

/** Event reason of the controllers of StatefulSets and Jobs. */
const failedCreate = 'FailedCreate';
/** Maximum number of pages read: anybody may write events, and each may have a kilobyte. */
const pagesMax = 4;

/** Refusals in a namespace, the newest first. */
export async function podRefusals(
  kube: Kube,
  namespace: string | undefined,
): Promise<readonly PodRefusal[]> {
  const fieldSelector = `reason=${failedCreate}`;
  const options = { namespace, fieldSelector, pagesMax };
  const events = await kube.list<Event>(resources.event, options).catch((error: unknown) => {
    // An unknown reason must not block the operator.
    if (error instanceof ApiError) return [];
    throw error;
  });
  return events
    .map((event) => ({
      owner: event.regarding?.uid ?? '',
      message: event.note ?? '',
      atMs: lastTimeMs(event),
    }))
    .sort((a, b) => b.atMs - a.atMs);
}

function lastTimeMs(event: Event): number {
  const { series, deprecatedLastTimestamp, eventTime, metadata } = event;
  const last =
    series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  const ms = Date.parse(String(last));
  return Number.isNaN(ms) ? 0 : ms;
}

/** Refusals that end by themselves: a service account, a quota's count or a webhook that does not exist yet. */
const passing =
  /error looking up service account|status unknown for quota|being terminated|failed calling webhook|[Ii]nternal error|context deadline exceeded|connection refused|etcdserver|object has been modified|already exists/;

/** Whether a person has to act before a pod can be made. */
export const isLasting = (message: string): boolean =>
  /is forbidden|denied the request|is invalid|denied request/.test(message) &&
  !passing.test(message);
