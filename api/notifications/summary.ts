import { eventTypes } from '../model/event-types.ts';
import type { StoredEvent } from '../model/event.ts';

/** One sentence about an event, for people. */
export const summaryOf = ({ subject, type }: StoredEvent): string =>
  `${subject.display}: ${eventTypes[type].description}`;
