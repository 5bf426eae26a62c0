/** Event types that a webhook endpoint subscribes to: a type, all of a group (`database.*`), or all (`*`). Pure. */
import { eventTypes, type EventType } from './event-types.ts';

/** Types that are sent to webhooks. */
export const sentTypes: readonly EventType[] = (Object.keys(eventTypes) as EventType[]).filter(
  (type) => eventTypes[type].webhook,
);

const groups = new Set(sentTypes.map(groupOf));

/** Whether some event can ever match. */
export function isSubscribable(pattern: string): boolean {
  if (pattern === '*') return true;
  if (pattern.endsWith('.*')) return groups.has(pattern.slice(0, -2));
  return (sentTypes as readonly string[]).includes(pattern);
}

export function isSubscribed(patterns: readonly string[], type: string): boolean {
  return (
    (sentTypes as readonly string[]).includes(type) &&
    (patterns.includes('*') || patterns.includes(`${groupOf(type)}.*`) || patterns.includes(type))
  );
}

function groupOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}
