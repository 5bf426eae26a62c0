/**
 * Why pods could not be made. Neither a StatefulSet nor a Job has it in its status: their controllers tell it in events alone,
 * which are read only while pods are missing.
 */
import { resources, type Event } from '../../domain/kinds.ts';
import { ApiError, type Kube } from '../../base/kube/kube.ts';
import type { PodRefusal } from './observation.ts';

/** The reason that the controllers of StatefulSets and Jobs give. */
const failedCreate = 'FailedCreate';
/** Events are anybody's to write, and each may have a kilobyte. */
const pagesMax = 4;

/** Those of a namespace, the newest first. */
export async function podRefusals(
  kube: Kube,
  namespace: string | undefined,
): Promise<readonly PodRefusal[]> {
  const fieldSelector = `reason=${failedCreate}`;
  const options = { namespace, fieldSelector, pagesMax };
  const events = await kube.list<Event>(resources.event, options).catch((error: unknown) => {
    // A reason that is not known keeps nothing from being done.
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

/** Refusals that end without anybody's doing: an account, a quota's count or a webhook that is not there yet. */
const passing =
  /error looking up service account|status unknown for quota|being terminated|failed calling webhook|[Ii]nternal error|context deadline exceeded|connection refused|etcdserver|object has been modified|already exists/;

/** Whether a person has to act before a pod can be made. */
export const isLasting = (message: string): boolean =>
  /is forbidden|denied the request|is invalid|denied request/.test(message) &&
  !passing.test(message);
