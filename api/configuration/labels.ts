/** Labels after a merge patch (RFC 7396). Pure. */
import { Refusal } from '../model/refusal.ts';

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
