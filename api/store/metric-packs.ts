/**
 * Packs of samples: what one source said in ten minutes is one row, whose figures are compressed, so that what stays the same takes
 * next to nothing, and no sample has a head and an index entry of its own. What is measured over 15 seconds is rounded; amounts are
 * not. The processes of the API become one source. A pack that cannot be read is a gap of its source, and stops nothing else.
 */
import { sql } from 'kysely';
import { gatewaySource, measuredPlaces, type Figure } from '../model/metric-figures.ts';
import { sampleMs, tenMinutesOfSample } from './metric-samples.ts';
import {
  emptySlots,
  packFigures,
  rounded,
  unpackFigures,
  type FigureSlots,
} from './packed-figures.ts';
import type { Reader } from './tables.ts';

export const packMs = 600_000;
/** Samples of a source in a pack. */
export const packSlots = packMs / sampleMs;
/** Maximum number of packs' times that one call makes: after a long pause, the rest waits for the next call. */
const timesMax = 6;
const databasesAtOnce = 10;

/** Lists of figures that a sample has. */
export const figureColumns = ['readings', 'latencies', 'failures'] as const;
export type FigureColumn = (typeof figureColumns)[number];

interface RowKey {
  readonly at: Date;
  /** ID of the database in the store. */
  readonly databaseId: string;
  readonly source: string;
}
type Sample = RowKey & Readonly<Record<FigureColumn, readonly Figure[] | null>>;
type Pack = RowKey & Readonly<Record<FigureColumn, Buffer | null>>;

/** A pack of which figures cannot be read. `databaseId`: as in the store. */
export interface UnreadablePack extends RowKey {
  readonly error: unknown;
}
export type OnUnreadable = (pack: UnreadablePack) => void;

/** Packs the samples that are rolled up. One process at a time does it. */
export async function packSamples(db: Reader, onUnreadable: OnUnreadable): Promise<void> {
  for (let time = 0; time < timesMax; time += 1) {
    const end = await db.transaction().execute(async (transaction) => {
      const doneUntil = await doneUntilOf(transaction, 'packs');
      const next = floor(doneUntil) + packMs;
      if (next > (await doneUntilOf(transaction, 'minutes'))) return undefined;
      await packUntil(transaction, new Date(next), onUnreadable);
      await transaction
        .updateTable('metricRollups')
        .set({ doneUntil: new Date(next) })
        .where('kind', '=', 'packs')
        .execute();
      return next;
    });
    if (end === undefined) return;
  }
}

async function doneUntilOf(db: Reader, kind: 'packs' | 'minutes'): Promise<number> {
  const row = await db
    .selectFrom('metricRollups')
    .select('doneUntil')
    .where('kind', '=', kind)
    .$if(kind === 'packs', (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  return row.doneUntil.getTime();
}

const floor = (ms: number): number => Math.floor(ms / packMs) * packMs;

/** All samples before the end, so that those which came late are packed, too: into the pack that is there already. */
async function packUntil(db: Reader, end: Date, onUnreadable: OnUnreadable): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT database_id AS id FROM metric_samples WHERE at < ${end}
  `.execute(db);
  for (let begin = 0; begin < rows.length; begin += databasesAtOnce) {
    const ids = rows.slice(begin, begin + databasesAtOnce).map(({ id }) => id);
    const { rows: samples } = await sql<Sample>`
      DELETE FROM metric_samples
      WHERE at < ${end} AND ${tenMinutesOfSample} < ${end} AND database_id = ANY (${ids}::uuid[])
      RETURNING at, database_id AS "databaseId", source,
        to_json(readings) AS readings, to_json(latencies) AS latencies, to_json(failures) AS failures
    `.execute(db);
    const groups = Map.groupBy(samples, keyOf);
    const there = await takePacks(db, [...groups.values()]);
    const packs = [...groups].map(([key, own]) => packOf(own, there.get(key), onUnreadable));
    if (packs.length > 0) await db.insertInto('metricPacks').values(packs).execute();
  }
}

/** Takes the packs out of the table that these groups of samples belong to. */
async function takePacks(
  db: Reader,
  groups: readonly (readonly Sample[])[],
): Promise<ReadonlyMap<string, Pack>> {
  const keys = groups.flatMap(([first]) => first ?? []);
  const ids = keys.map(({ databaseId }) => databaseId);
  const times = keys.map(({ at }) => new Date(floor(at.getTime())));
  const { rows } = await sql<Pack>`
    DELETE FROM metric_packs AS packs
    USING unnest(${ids}::uuid[], ${times}::timestamptz[], ${keys.map(sourceOf)}::text[]) AS own (id, at, source)
    WHERE packs.at = ANY (${times}::timestamptz[]) AND packs.database_id = own.id AND packs.at = own.at
      AND packs.source = own.source
    RETURNING packs.at, database_id AS "databaseId", packs.source,
      packed_readings AS readings, packed_latencies AS latencies, packed_failures AS failures
  `.execute(db);
  return new Map(rows.map((row) => [keyOf(row), row]));
}

type OfSource = Pick<RowKey, 'source'>;
export const isGateway = ({ source }: OfSource): boolean => source.startsWith(gatewaySource(''));
/** The source that it is in a pack. */
export const sourceOf = (row: OfSource): string =>
  isGateway(row) ? gatewaySource('') : row.source;
const keyOf = (row: RowKey): string =>
  `${floor(row.at.getTime())} ${row.databaseId} ${sourceOf(row)}`;

function packOf(samples: readonly Sample[], there: Pack | undefined, onUnreadable: OnUnreadable) {
  const [first] = samples;
  if (first === undefined) throw new Error('a pack has samples');
  const beginMs = floor(first.at.getTime());
  const columnOf = (column: FigureColumn): Buffer | null => {
    // If a pack cannot be read, only its late samples are left.
    const figures: FigureSlots =
      (there && readColumn(there, column, onUnreadable, undefined)) ?? new Map();
    for (const sample of samples) {
      const slot = Math.floor((sample.at.getTime() - beginMs) / sampleMs);
      for (const [place, value] of (sample[column] ?? []).entries()) {
        if (value !== null) put(figures, place, slot, value, isGateway(sample));
      }
    }
    for (const [place, values] of figures) {
      if (isRounded(first, column, place)) figures.set(place, values.map(rounded));
    }
    return figures.size === 0 ? null : packFigures(figures);
  };
  return {
    at: new Date(beginMs),
    databaseId: first.databaseId,
    source: sourceOf(first),
    packedReadings: columnOf('readings'),
    packedLatencies: columnOf('latencies'),
    packedFailures: columnOf('failures'),
  };
}

/** Figures of a list of a pack; `undefined` if it has none, or if they cannot be read, which is logged. */
export function readColumn(
  { at, databaseId, source, ...columns }: Pack,
  column: FigureColumn,
  onUnreadable: OnUnreadable,
  wanted: readonly number[] | undefined,
): FigureSlots | undefined {
  const packed = columns[column];
  if (packed === null) return undefined;
  try {
    return unpackFigures(packed, wanted);
  } catch (error) {
    onUnreadable({ at, databaseId, source, error });
    return undefined;
  }
}

const isRounded = (row: RowKey, column: FigureColumn, place: number): boolean =>
  column !== 'readings' || isGateway(row) || measuredPlaces.has(place);

/** Puts a sample into the slots. Samples of API processes at the same time are added up; of a replica's samples one stays. */
function put(
  figures: FigureSlots,
  place: number,
  slot: number,
  value: number,
  isAdded: boolean,
): void {
  const values = figures.get(place) ?? emptySlots(packSlots);
  const known = values[slot] ?? NaN;
  values[slot] = isAdded && !Number.isNaN(known) ? known + value : value;
  figures.set(place, values);
}
