/** Figures of databases for people. */
import type { CurrentMetrics, MetricQueryAnswer } from '../../gen/api.ts';
import { orDash } from './answer.ts';
import { fields, table } from './table.ts';

type Line = MetricQueryAnswer['data'][number];
type Unit = Line['unit'];
type Figure = number | null | undefined;

const binary = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `1.5 GiB`, `12.3 ms`; a dash if it is not known. */
export function shownFigure(value: Figure, unit: Unit): string {
  if (value === null || value === undefined) return '-';
  if (unit === 'bytes') return bytes(value);
  if (unit === 'seconds')
    return Math.abs(value) < 1 ? `${(value * 1_000).toFixed(1)} ms` : `${value.toFixed(2)} s`;
  if (unit === 'bytes_per_second') return `${bytes(value)}/s`;
  if (unit === 'ratio') return `${rounded(100 * value)} %`;
  return unit === 'per_second' ? `${rounded(value)}/s` : rounded(value);
}

function bytes(value: number): string {
  const power = Math.max(
    0,
    Math.min(binary.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10)),
  );
  return `${rounded(value / 1_024 ** power)} ${binary[power] ?? ''}`;
}

const rounded = (value: number): string =>
  Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en-US')
    : String(Number(value.toFixed(2)));

const used = ({ usedBytes, limitBytes }: { usedBytes: Figure; limitBytes: Figure }): string => {
  const share =
    typeof usedBytes === 'number' && typeof limitBytes === 'number' && limitBytes > 0
      ? ` (${Math.round((100 * usedBytes) / limitBytes)} %)`
      : '';
  return `${shownFigure(usedBytes, 'bytes')} of ${shownFigure(limitBytes, 'bytes')}${share}`;
};

const full = (forecast: { readonly fullInDays: number } | null): string =>
  forecast === null ? 'no end in sight' : `in ${Math.round(forecast.fullInDays)} days`;

export function currentText({ usage, gateway, forecast, ...rest }: CurrentMetrics): string {
  // Without figures nothing is in sight at all.
  const end = usage === null ? () => '-' : full;
  const head = fields([
    ['requests', shownFigure(rest.requestsPerSecond, 'per_second')],
    ['transfers', shownFigure(rest.transfersPerSecond, 'per_second')],
    ['p99', shownFigure(rest.requestP99Seconds, 'seconds')],
    ['over HTTP', shownFigure(gateway.answeredPerSecond, 'per_second')],
    ['failed', shownFigure(gateway.failedPerSecond, 'per_second')],
    ['p99 over HTTP', shownFigure(gateway.p99Seconds, 'seconds')],
    ['memory full', end(forecast.memory)],
    ['storage full', end(forecast.storage)],
  ]);
  if (usage === null) return `${head}\nNothing was heard of its replicas in the last minute.\n`;
  const nodes = table<(typeof usage.nodes)[number]>(
    [
      { title: 'REPLICA', cell: ({ index }) => String(index) },
      {
        title: 'ROLE',
        cell: ({ up, leader }) => (up ? (leader ? 'leader' : 'follower') : 'silent'),
      },
      { title: 'ZONE', cell: ({ zone }) => orDash(zone) },
      { title: 'LAG', align: 'right', cell: ({ commitLagOps }) => orDash(commitLagOps) },
      { title: 'CPU', align: 'right', cell: ({ cpuCores }) => shownFigure(cpuCores, 'cores') },
      { title: 'CLIENTS', align: 'right', cell: ({ connections }) => orDash(connections) },
      { title: 'MEMORY', cell: ({ memory }) => used(memory) },
      { title: 'STORAGE', cell: ({ storage }) => used(storage) },
    ],
    usage.nodes,
  );
  return `${head}\n${nodes}`;
}

const bars = '▁▂▃▄▅▆▇█';
const barsMax = 60;

/** A line of bars, each the greatest value of its part; a blank is a time for which nothing is known. */
export function sparkline(points: readonly Figure[]): string {
  const known = points.filter((value) => typeof value === 'number');
  const low = Math.min(...known);
  const high = Math.max(...known);
  const width = Math.min(barsMax, points.length);
  return Array.from({ length: width }, (_, place) => {
    const part = points
      .slice(
        Math.floor((place * points.length) / width),
        Math.floor(((place + 1) * points.length) / width),
      )
      .filter((value) => typeof value === 'number');
    if (part.length === 0) return ' ';
    const share = high === low ? 0 : (Math.max(...part) - low) / (high - low);
    return bars[Math.min(bars.length - 1, Math.floor(share * bars.length))];
  }).join('');
}

export function seriesText({ data, stepSeconds }: MetricQueryAnswer): string {
  if (data.length === 0) return 'Nothing is known about this time.\n';
  const valuesOf = ({ points }: Line) => points.map(([, value]) => value ?? null);
  const known = (line: Line) => valuesOf(line).filter((value) => value !== null);
  const text = table<Line>(
    [
      { title: 'SERIES', cell: ({ name }) => name },
      {
        title: 'LABELS',
        cell: ({ labels }) =>
          orDash(
            Object.entries(labels)
              .map((pair) => pair.join('='))
              .join(' '),
          ),
      },
      { title: 'FN', cell: ({ fn }) => fn },
      {
        title: 'LEAST',
        align: 'right',
        cell: (line) => shownFigure(Math.min(...known(line)), line.unit),
      },
      {
        title: 'MEAN',
        align: 'right',
        cell: (line) =>
          shownFigure(
            known(line).reduce((sum, one) => sum + one, 0) / known(line).length,
            line.unit,
          ),
      },
      {
        title: 'MOST',
        align: 'right',
        cell: (line) => shownFigure(Math.max(...known(line)), line.unit),
      },
      { title: 'LAST', align: 'right', cell: (line) => shownFigure(known(line).at(-1), line.unit) },
      { title: `EVERY ${stepSeconds} s`, cell: (line) => sparkline(valuesOf(line)) },
    ],
    data,
  );
  return text;
}
