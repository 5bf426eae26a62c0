/**
 * Finds what an object on the API server lacks of its desired form. The API server adds defaults, and others add labels and
 * annotations: neither is a difference. So only the presence of desired values is checked, and a steady fleet costs no
 * writes; applying the object removes every difference, so that nothing is written over and over.
 */
import { sameQuantity } from '../../base/kube/quantity.ts';

/** Keys by which the API server merges lists that several apply; elements that others added stay whatever we apply. */
const mergeKeys: ReadonlyMap<string, string> = new Map([
  ['containers', 'name'],
  ['initContainers', 'name'],
  ['env', 'name'],
  ['volumes', 'name'],
  ['imagePullSecrets', 'name'],
  ['volumeMounts', 'mountPath'],
  ['ownerReferences', 'uid'],
]);

/** Maps that the API server treats as a whole: an additional entry makes another selector. */
const wholeMaps = new Set([
  'selector',
  'podSelector',
  'namespaceSelector',
  'labelSelector',
  'nodeSelector',
]);

/**
 * Paths, such as `spec.template.spec.containers[engine].image`, at which `live` does not hold the value in `desired`. Maps:
 * each desired entry; in selectors no others. Lists: the same length and order, but in lists merged by a key each desired
 * element. Quantities of resources: by their value. Everything else: exactly. Undefined and null require nothing; an empty
 * list or map requires an absent or empty one, since the API server leaves those out.
 */
export const missing = (desired: unknown, live: unknown): readonly string[] =>
  differences(desired, live).map(({ path }) => path);

/** The desired and the live value at a path. */
export interface Difference {
  readonly path: string;
  readonly desired: unknown;
  readonly live: unknown;
}

export function differences(desired: unknown, live: unknown): readonly Difference[] {
  const found: Difference[] = [];
  compare({ desired, live, path: '', field: '', whole: false, isQuantity: false }, found);
  return found;
}

interface Pair {
  readonly desired: unknown;
  readonly live: unknown;
  readonly path: string;
  /** Name of the field that holds the pair. */
  readonly field: string;
  readonly whole: boolean;
  /** Whether it is in `requests` or `limits`. */
  readonly isQuantity: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function compare(pair: Pair, found: Difference[]): void {
  const { path } = pair;
  const desired = pair.desired ?? undefined;
  const live = pair.live ?? undefined;
  if (desired === undefined) return;
  if (Array.isArray(desired)) {
    compareLists({ ...pair, desired, live: Array.isArray(live) ? live : [] }, found);
  } else if (isMap(desired)) {
    if (live === undefined || isMap(live))
      compareMaps({ ...pair, desired, live: live ?? {} }, found);
    else found.push({ path, desired, live });
  } else if (desired !== live && !(pair.isQuantity && sameQuantity(desired, live))) {
    found.push({ path, desired, live });
  }
}

function compareMaps(pair: Pair & { desired: Fields; live: Fields }, found: Difference[]): void {
  const { desired, live, path } = pair;
  const whole = pair.whole || wholeMaps.has(pair.field);
  const isQuantity = pair.field === 'requests' || pair.field === 'limits';
  for (const [field, value] of Object.entries(desired)) {
    const inner = { desired: value, live: live[field], path: join(path, field), field };
    compare({ ...inner, whole, isQuantity }, found);
  }
  if (whole && Object.keys(live).some((field) => desired[field] === undefined))
    found.push({ path, desired, live });
}

function compareLists(
  pair: Pair & { desired: readonly unknown[]; live: readonly unknown[] },
  found: Difference[],
): void {
  const { desired, live, path, field } = pair;
  const key = mergeKeys.get(field);
  if (key === undefined && live.length !== desired.length) {
    found.push({ path, desired, live });
    return;
  }
  for (const [index, element] of desired.entries()) {
    const name = key === undefined ? index : keyOf(element, key);
    const other = key === undefined ? live[index] : live.find((one) => keyOf(one, key) === name);
    const elementPath = `${path}[${String(name)}]`;
    if (other === undefined) found.push({ path: elementPath, desired: element, live: other });
    else compare({ ...pair, desired: element, live: other, path: elementPath, field: '' }, found);
  }
}

const keyOf = (element: unknown, key: string) => (isMap(element) ? String(element[key]) : '');

/** Appends a field to a path. Keys with dots or slashes, such as labels, are put in brackets. */
function join(path: string, field: string): string {
  if (/[./]/.test(field)) return `${path}[${field}]`;
  return path === '' ? field : `${path}.${field}`;
}
