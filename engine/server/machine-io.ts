/** Bytes that the process moved to and from disks, and its pod over the network, as Linux counts them. */
import { readFileSync } from 'node:fs';
import { single, type Metric } from '../../base/metrics/exposition.ts';

interface Moved {
  readonly inBytes: number;
  readonly outBytes: number;
}

/** From `/proc/self/io`: what storage really moved, without what the page cache answered. */
export function diskIo(text: string): Moved | undefined {
  const inBytes = /^read_bytes: (\d+)$/m.exec(text)?.[1];
  const outBytes = /^write_bytes: (\d+)$/m.exec(text)?.[1];
  if (inBytes === undefined || outBytes === undefined) return undefined;
  return { inBytes: Number(inBytes), outBytes: Number(outBytes) };
}

/** From `/proc/self/net/dev`: all devices of the pod but the loopback. `undefined` if there are none. */
export function networkIo(text: string): Moved | undefined {
  const devices = [...text.matchAll(/^ *([^\s:]+): *(\d+)(?: +\d+){7} +(\d+) /gm)].filter(
    ([, name]) => name !== 'lo',
  );
  if (devices.length === 0) return undefined;
  const sum = (place: 2 | 3) => devices.reduce((all, device) => all + Number(device[place]), 0);
  return { inBytes: sum(2), outBytes: sum(3) };
}

const disk: readonly (readonly [string, string])[] = [
  ['disk_read_bytes_total', 'Bytes that the process read from disks.'],
  ['disk_written_bytes_total', 'Bytes that the process wrote to disks.'],
];
const network: readonly (readonly [string, string])[] = [
  ['network_received_bytes_total', 'Bytes that the network devices of the pod received.'],
  ['network_sent_bytes_total', 'Bytes that the network devices of the pod sent.'],
];

export const diskMetrics = (): readonly Metric[] => metricsOf(disk, moved('/proc/self/io', diskIo));
export const networkMetrics = (): readonly Metric[] =>
  metricsOf(network, moved('/proc/self/net/dev', networkIo));

/** Both files are made by the kernel when they are read, so no disk delays this. */
function moved(path: string, read: (text: string) => Moved | undefined): Moved | undefined {
  try {
    return read(readFileSync(path, 'utf8'));
  } catch {
    // Another system than Linux, or no right to read it: there are no figures.
    return undefined;
  }
}

const metricsOf = (
  names: readonly (readonly [string, string])[],
  of: Moved | undefined,
): readonly Metric[] =>
  of === undefined
    ? []
    : names.map(([name, help], index) => ({
        name: `ledgerhouse_engine_${name}`,
        type: 'counter' as const,
        help,
        samples: single(index === 0 ? of.inBytes : of.outBytes),
      }));
