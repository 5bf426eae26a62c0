/** Labels after a merge patch (RFC 7396). Pure. */
import type { FieldChange } from '../model/event.ts';
import { Refusal } from '../model/refusal.ts';
import { memberOf } from './impact.ts';

type Labels = Readonly<Record<string, string>>;

const labelsMax = 16;

/** Null removes a label, or all of them. Returns `undefined` if nothing changes. Throws a `Refusal` if too many are left. */
export function labelsAfter(
  before: Labels,
  patch: Readonly<Record<string, string | null>> | null | undefined,
): Labels | undefined {
  if (patch === undefined) return undefined;
  const labels: Record<string, string> = {};
  for (const [key, value] of Object.entries({ ...(patch && { ...before, ...patch }) })) {
    if (value !== null) labels[key] = value;
  }
  if (Object.keys(labels).length <= labelsMax) return labels;
  const detail = `The database would have more than ${labelsMax} labels; remove labels by setting them to null.`;
  throw new Refusal('validation_failed', {
    detail,
    errors: [{ pointer: '#/labels', code: 'too_many', detail }],
  });
}

/**
 * Labels without what a change has made of them, but for those that are others by now. Those that it has removed come back as far as there is
 * room. Returns `undefined` if nothing changes.
 */
export function labelsBefore(now: Labels, diff: readonly FieldChange[]): Labels | undefined {
  const set = diff.flatMap(({ path, from, to }) => {
    const key = path.slice('/labels/'.length).replaceAll('~1', '/').replaceAll('~0', '~');
    return memberOf(path) === 'labels' && (now[key] ?? null) === to ? [{ key, from }] : [];
  });
  if (set.length === 0) return undefined;
  const added = new Set(set.flatMap(({ key, from }) => (from === null ? [key] : [])));
  const labels = Object.fromEntries(Object.entries(now).filter(([key]) => !added.has(key)));
  for (const { key, from } of set) {
    const hasRoom = Object.hasOwn(labels, key) || Object.keys(labels).length < labelsMax;
    if (typeof from === 'string' && hasRoom) labels[key] = from;
  }
  return labels;
}
