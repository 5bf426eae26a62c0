import type { V1LabelSelector } from '@kubernetes/client-node';

export type Labels = Readonly<Record<string, string>>;

/** Tells whether labels match a Kubernetes label selector. An empty selector matches everything. */
export function matches(selector: V1LabelSelector, labels: Labels): boolean {
  const all = Object.entries(selector.matchLabels ?? {});
  if (!all.every(([key, value]) => labels[key] === value)) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values }) => {
    const value = labels[key];
    switch (operator) {
      case 'In':
        return value !== undefined && (values ?? []).includes(value);
      case 'NotIn':
        return value === undefined || !(values ?? []).includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      default:
        throw new RangeError(`"${operator}" is no operator of a label selector`);
    }
  });
}
