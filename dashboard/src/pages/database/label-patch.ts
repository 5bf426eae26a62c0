/** The labels of a database as text, and the difference that a person made to it. */
import type { Database } from '../../../../gen/api.ts';
import { labelsOf } from '../create/draft.ts';

type Labels = Database['labels'];

export const linesOf = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort((a, b) => (a < b ? -1 : 1))
    .join('\n');

/** Takes out the labels that the person saw and took out, never those that somebody else set meanwhile. */
export function labelPatch(seen: Labels, text: string): Readonly<Record<string, string | null>> {
  const next = labelsOf(text);
  const gone = Object.keys(seen).filter((key) => !(key in next));
  return { ...Object.fromEntries(gone.map((key) => [key, null])), ...next };
}
