import { eventTypes, type EventData } from '../model/event-types.ts';
import type { StoredEvent } from '../model/event.ts';

/** One sentence about an event, for people. */
export const summaryOf = (event: StoredEvent): string =>
  `${event.subject.display}: ${eventTypes[event.type].description}${detailOf(event)}`;

/** The version of an engine, and the date that counts. */
function detailOf({ data }: StoredEvent): string {
  const { update, error } = data as Partial<EventData['engine.update_failed']>;
  if (update === undefined) return '';
  const { version, at, notBefore, latest } = update;
  const when =
    error === undefined
      ? `${notBefore === undefined ? 'from' : 'not before'} ${shown(notBefore ?? at)}${latest === undefined ? '' : `, in any case from ${shown(latest)}`}`
      : error.message;
  return ` (${version}, ${when})`;
}

const shown = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;
