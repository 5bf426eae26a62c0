import { expect, test } from '@jest/globals';
import { parseExposition } from '../../test/support/prometheus/exposition.ts';
import { replicaFigures } from '../model/metric-figures.ts';
import { scrapeText, type ScrapedDatabase } from './prometheus.ts';
import { RecentTexts, shownAgainMs } from './recent-texts.ts';

/** A database that has been sampled a second ago; those called silent never were. */
function sampled(id: string, nowMs: number): ScrapedDatabase {
  const readings = replicaFigures.map((_, place) => place + 1);
  const view = {
    database: { id, name: `the "${id}"\n`, status: 'READY' },
    profile: { engine: 'Builtin', engineVersion: '1', region: 'here' },
  };
  const sample = { databaseId: id, source: 'r0', at: new Date(nowMs - 1_000), readings };
  return {
    view,
    health: 'HEALTHY',
    samples: id === 'silent' ? [] : [sample],
    backupAt: undefined,
    streams: [],
  } as never;
}

/** Texts by a clock that stands, and whose text was made how often. */
function world() {
  const made: string[] = [];
  const state = { nowMs: 1_000_000, clockMs: 0, fails: false };
  const texts = new RecentTexts({
    nowMs: () => state.nowMs,
    wallMs: () => state.nowMs + state.clockMs,
  });
  const load = (ids: readonly string[]) => {
    if (state.fails) return Promise.reject(new Error('the store is away'));
    made.push(...ids);
    return Promise.resolve(ids.map((id) => sampled(id, state.nowMs)));
  };
  return { made, state, scrape: (...ids: string[]) => texts.of(ids, load) };
}

test('the text of a database is made once in some seconds, however many scrape it with whatever scope', async () => {
  const { made, state, scrape } = world();
  await Promise.all([scrape('a', 'b'), scrape('a', 'b'), scrape('b', 'c'), scrape('c')]);
  await scrape('a', 'b', 'c');
  expect(made).toEqual(['a', 'b', 'c']);
  state.nowMs += shownAgainMs - 1;
  await scrape('c', 'a');
  expect(made).toEqual(['a', 'b', 'c']);
  state.nowMs += 2;
  await scrape('c');
  expect(made).toEqual(['a', 'b', 'c', 'c']);
});

test('a clock that is set back keeps no text for longer', async () => {
  const { made, state, scrape } = world();
  await scrape('a');
  state.clockMs -= 3_600_000;
  state.nowMs += shownAgainMs + 1;
  await scrape('a');
  expect(made).toEqual(['a', 'a']);
});

test('a scrape has the databases that were asked for and no others, each metric under one head', async () => {
  const { scrape } = world();
  const ids = async (...asked: string[]) => {
    const families = parseExposition((await scrapeText(await scrape(...asked), true)).toString());
    expect(families.get('ledgerhouse_scrape_complete')?.series[0]?.value).toBe(1);
    const series = [...families.values()].flatMap((family) => family.series);
    expect(families.size).toBeGreaterThan(20);
    expect(families.get('ledgerhouse_database_sample_age_seconds')?.series[0]?.value).toBe(1);
    return new Set(series.flatMap(({ labels }) => labels['database_id'] ?? []));
  };
  expect(await ids('a', 'b')).toEqual(new Set(['a', 'b']));
  expect(await ids('b')).toEqual(new Set(['b']));
  expect(await ids('silent', 'b')).toEqual(new Set(['silent', 'b']));
});

test('without a database there is only the line that tells whether all are here', async () => {
  const families = parseExposition((await scrapeText([], false)).toString());
  expect([...families.keys()]).toEqual(['ledgerhouse_scrape_complete']);
  expect(families.get('ledgerhouse_scrape_complete')?.series[0]?.value).toBe(0);
});

test('a failure is told to all who wait, and is not kept', async () => {
  const { state, scrape } = world();
  state.fails = true;
  const both = await Promise.allSettled([scrape('a'), scrape('a', 'b')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  state.fails = false;
  expect(await scrape('a')).toHaveLength(1);
});
