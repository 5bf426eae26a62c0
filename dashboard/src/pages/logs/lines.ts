/** Log lines in the form that the page shows. */
import type { LogLine } from '../../../../gen/api.ts';
import type { Tone } from '../../ui/States.tsx';

const isAfter = (one: string, other: string): boolean => BigInt(one) > BigInt(other);

/** Each line once, the newest first: lines of several replicas may come late. */
export function inOrder(lines: readonly LogLine[]): readonly LogLine[] {
  const byId = new Map(lines.map((line) => [line.id, line]));
  return [...byId.values()].sort((one, other) => {
    if (one.timestamp !== other.timestamp) return one.timestamp > other.timestamp ? -1 : 1;
    return isAfter(one.id, other.id) ? -1 : 1;
  });
}

export const toneOf = (severity: LogLine['severity']): Tone =>
  severity === 'ERROR' || severity === 'FATAL' ? 'bad' : severity === 'WARN' ? 'warn' : 'soft';

/** `engine of node 1`. */
export const placeOf = ({ component, node }: LogLine): string =>
  node === null ? component : `${component}, node ${node}`;

/** `remote=10.0.0.1 view=3`. */
export const attributesText = ({ attributes }: LogLine): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
