/**
 * Reads figures as they were sampled, for steps that are shorter than a row of a roll-up: from samples and from packs, of which only
 * the wanted places are unpacked.
 */
import { sql } from 'kysely';
import type { Figure } from '../model/metric-figures.ts';
import { uuidOf } from './ids.ts';
import {
  figureColumns,
  isGateway,
  packMs,
  packSlots,
  readColumn,
  sourceOf,
  type FigureColumn,
  type OnUnreadable,
} from './metric-packs.ts';
import { sampleMs, tenMinutesOfSample } from './metric-samples.ts';
import type { FigureSlots } from './packed-figures.ts';
import type { Reader } from './tables.ts';

interface SampleSpan {
  readonly databaseId: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Told of packs that cannot be read, which are gaps. */
  readonly onUnreadable?: OnUnreadable | undefined;
}

export interface WantedFigure {
  readonly column: FigureColumn;
  readonly place: number;
}

/** Wanted figures of one source at one time, in the order of the request. */
export interface ReadSample {
  readonly atMs: number;
  readonly source: string;
  readonly values: readonly Figure[];
}

type Row = { readonly at: Date; readonly source: string } & (
  | { readonly values: readonly Figure[] }
  | ({ readonly values: null } & Readonly<Record<FigureColumn, Buffer | null>>)
);

/** In one statement, because a sample is either packed or not. In order of time. */
export async function readSamples(
  db: Reader,
  span: SampleSpan,
  sourceLike: string,
  wanted: readonly WantedFigure[],
): Promise<readonly ReadSample[]> {
  const values = wanted.map(({ column, place }) => `${column}[${place + 1}]`);
  const packed = figureColumns.map((column) =>
    wanted.some((one) => one.column === column) ? sql.ref(`packed_${column}`) : sql`NULL::bytea`,
  );
  // As JSON, which JavaScript reads many times faster than PostgreSQL's own text of an array.
  const { rows } = await sql<Row>`
    SELECT at, source, to_json(ARRAY[${sql.raw(values.join())}]::real[]) AS values,
      NULL::bytea AS readings, NULL::bytea AS latencies, NULL::bytea AS failures
    FROM metric_samples WHERE ${samplesOf(span, sourceLike)}
    UNION ALL
    SELECT at, source, NULL, ${sql.join(packed)} FROM metric_packs WHERE ${packsOf(span, sourceLike)}
  `.execute(db);
  const { fromMs, toMs } = span;
  const samples = rows
    .flatMap((row) => samplesOfRow(row, span, wanted))
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  return joined(samples).sort((one, other) => one.atMs - other.atMs);
}

/** The processes of the API are one source, as in packs: their figures at the same time are added up. */
function joined(samples: readonly ReadSample[]): ReadSample[] {
  const all = new Map<string, ReadSample>();
  for (const { atMs, values, ...sample } of samples) {
    const source = sourceOf(sample);
    const key = `${atMs} ${source}`;
    const known = all.get(key)?.values ?? [];
    const both = values.map((value, column) => {
      const other = known[column] ?? null;
      if (value === null || other === null) return value ?? other;
      return isGateway(sample) ? value + other : value;
    });
    all.set(key, { atMs, source, values: both });
  }
  return [...all.values()];
}

const ofDatabase = ({ databaseId }: SampleSpan, sourceLike: string) =>
  sql`database_id = ${uuidOf(databaseId)} AND source LIKE ${sourceLike}`;

/** Begins of the ten minutes that a span touches. */
const begins = ({ fromMs, toMs }: SampleSpan) => [new Date(fromMs - packMs), new Date(toMs)];

function samplesOf(span: SampleSpan, sourceLike: string) {
  const [begin, end] = begins(span);
  return sql`${ofDatabase(span, sourceLike)} AND at >= ${new Date(span.fromMs)} AND at < ${end}
    AND ${tenMinutesOfSample} > ${begin} AND ${tenMinutesOfSample} < ${end}`;
}

function packsOf(span: SampleSpan, sourceLike: string) {
  const [begin, end] = begins(span);
  return sql`${ofDatabase(span, sourceLike)} AND at > ${begin} AND at < ${end}`;
}

function samplesOfRow(
  row: Row,
  { databaseId, onUnreadable = () => undefined }: SampleSpan,
  wanted: readonly WantedFigure[],
): readonly ReadSample[] {
  const { source } = row;
  const beginMs = row.at.getTime();
  if (row.values !== null) {
    const values = row.values.map((value) => (value === null ? null : Math.fround(value)));
    return [{ atMs: beginMs, source, values }];
  }
  const columns = new Map<FigureColumn, FigureSlots>();
  for (const column of figureColumns) {
    const places = wanted.flatMap((one) => (one.column === column ? [one.place] : []));
    const pack = { ...row, databaseId: uuidOf(databaseId) };
    const figures = readColumn(pack, column, onUnreadable, places);
    if (figures !== undefined) columns.set(column, figures);
    // An absent status did not occur, so a list that cannot be read makes all of them a gap.
    else if (row[column] !== null) return [];
  }
  return Array.from({ length: packSlots }, (_, slot) => ({
    atMs: beginMs + slot * sampleMs,
    source,
    values: wanted.map(({ column, place }) => {
      const value = columns.get(column)?.get(place)?.[slot] ?? NaN;
      return Number.isNaN(value) ? null : value;
    }),
  }));
}
