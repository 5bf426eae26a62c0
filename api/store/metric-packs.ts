/**
 * Packs of samples: what one source said in ten minutes is one row, figure after figure, so that PostgreSQL compresses what stays
 * the same or changes little, and no sample has a head and an index entry of its own. The processes of the API become one source.
 */
import { sql } from 'kysely';
import { gatewaySource, type Figure } from '../model/metric-figures.ts';
import { sampleMs, tenMinutesOfSample } from './metric-samples.ts';
import type { Reader } from './tables.ts';

export const packMs = 600_000;
/** Samples of a source in a pack: the value of a figure at a time is at `figure * packSlots + slot`. */
const packSlots = packMs / sampleMs;
/** Maximum number of packs' times that one call makes: after a long pause, the rest waits for the next call. */
const timesMax = 6;
const databasesAtOnce = 10;

interface Row {
  readonly at: Date;
  readonly databaseId: string;
  readonly source: string;
  readonly readings: readonly Figure[];
  readonly latencies: readonly Figure[] | null;
  readonly failures: readonly Figure[] | null;
}

/** Packs the samples that are rolled up. One process at a time does it. */
export async function packSamples(db: Reader): Promise<void> {
  for (let time = 0; time < timesMax; time += 1) {
    const end = await db.transaction().execute(async (transaction) => {
      const doneUntil = await doneUntilOf(transaction, 'packs');
      const next = floor(doneUntil) + packMs;
      if (next > (await doneUntilOf(transaction, 'minutes'))) return undefined;
      await packUntil(transaction, new Date(next));
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

/** All samples before the end, so that those which came late are packed, too. */
async function packUntil(db: Reader, end: Date): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT database_id AS id FROM metric_samples WHERE at < ${end}
  `.execute(db);
  for (let begin = 0; begin < rows.length; begin += databasesAtOnce) {
    const ids = rows.slice(begin, begin + databasesAtOnce).map(({ id }) => id);
    const { rows: samples } = await sql<Row>`
      DELETE FROM metric_samples
      WHERE at < ${end} AND ${tenMinutesOfSample} < ${end} AND database_id = ANY (${ids}::uuid[])
      RETURNING at, database_id AS "databaseId", source,
        to_json(readings) AS readings, to_json(latencies) AS latencies, to_json(failures) AS failures
    `.execute(db);
    const packs = [...Map.groupBy(samples, keyOf).values()].map(packOf);
    if (packs.length > 0) await db.insertInto('metricPacks').values(packs).execute();
  }
}

const isGateway = ({ source }: Row): boolean => source.startsWith(gatewaySource(''));
const sourceOf = (row: Row): string => (isGateway(row) ? gatewaySource('') : row.source);
const keyOf = (row: Row): string => `${floor(row.at.getTime())} ${row.databaseId} ${sourceOf(row)}`;

function packOf(rows: readonly Row[]) {
  const [first] = rows;
  if (first === undefined) throw new Error('a pack has samples');
  const beginMs = floor(first.at.getTime());
  const [readings, latencies, failures] = (['readings', 'latencies', 'failures'] as const).map(
    (column) => {
      const packed: Figure[] = [];
      for (const row of rows) {
        const slot = Math.floor((row.at.getTime() - beginMs) / sampleMs);
        for (const [figure, value] of (row[column] ?? []).entries()) {
          if (value === null) continue;
          const place = figure * packSlots + slot;
          packed[place] = isGateway(row) ? (packed[place] ?? 0) + value : value;
        }
      }
      // Places that nobody filled are null, not absent.
      return Array.from(packed, (value) => value ?? null);
    },
  );
  return {
    at: new Date(beginMs),
    databaseId: first.databaseId,
    source: sourceOf(first),
    readings: readings ?? [],
    latencies: someOf(latencies),
    failures: someOf(failures),
  };
}

const someOf = (figures: Figure[] | undefined): Figure[] | null =>
  figures === undefined || figures.length === 0 ? null : figures;
