/** Routes that a Prometheus scrapes. */
import { metricsContentType } from '../../base/metrics/metrics.ts';
import { visibleDatabases } from '../auth/principal.ts';
import type { metricRoutes } from '../contract/routes/metrics.ts';
import { healthOf } from '../databases/present.ts';
import { requireDatabase } from '../databases/require.ts';
import type { CostFacts, HandlersOf } from '../http/handler.ts';
import { newestBackups } from '../store/backups.ts';
import { changeStreamsOf } from '../store/change-streams.ts';
import type { DatabaseView } from '../store/database-record.ts';
import { findDatabaseView, listDatabases } from '../store/database-list.ts';
import { latestSamples } from '../store/metric-samples.ts';
import type { Store } from '../store/store.ts';
import { scrapedMax, scrapeText, type ScrapedDatabase } from './prometheus.ts';
import { RecentTexts } from './recent-texts.ts';

export interface ScrapeServices {
  readonly store: Store;
  /** Whether the databases are observed; otherwise their health is unknown. */
  readonly observed: () => boolean;
}

type ScrapeRoute = 'scrapeDatabases' | 'scrapeDatabase';

export function scrapeHandlers(
  services: ScrapeServices,
): Pick<HandlersOf<typeof metricRoutes>, ScrapeRoute> {
  const texts = new RecentTexts();
  const answer = answers(services, texts);
  return {
    async scrapeDatabases({ principal, holdAnswer }) {
      const onlyIds = visibleDatabases(principal);
      const { rows, next } = await listDatabases(
        services.store.read,
        principal.organization.id,
        { ...(onlyIds && { onlyIds }) },
        { sort: 'createdAt', limit: scrapedMax },
      );
      return answer(rows, next === undefined, holdAnswer);
    },
    async scrapeDatabase({ params, principal, holdAnswer }) {
      const { read } = services.store;
      const { id } = principal.organization;
      await requireDatabase(read, id, params.databaseId);
      const view = await findDatabaseView(read, id, params.databaseId);
      const views = view === undefined || view.database.deletedAt !== null ? [] : [view];
      return answer(views, true, holdAnswer);
    },
  };
}

const answers =
  (services: ScrapeServices, texts: RecentTexts) =>
  async (
    views: readonly DatabaseView[],
    isComplete: boolean,
    holdAnswer: CostFacts['holdAnswer'],
  ) => {
    const byId = new Map(views.map((view) => [view.database.id, view]));
    const found = await texts.of([...byId.keys()], (ids) =>
      scraped(
        services,
        ids.flatMap((id) => byId.get(id) ?? []),
      ),
    );
    const bytes = await scrapeText(found, isComplete);
    holdAnswer(bytes.length, true);
    return { status: 200 as const, bytes, contentType: metricsContentType };
  };

async function scraped(
  { store, observed }: ScrapeServices,
  views: readonly DatabaseView[],
): Promise<readonly ScrapedDatabase[]> {
  const ids = views.map(({ database }) => database.id);
  const [latest, backups, streams] = await Promise.all([
    latestSamples(store.read, ids),
    newestBackups(store.read, ids),
    changeStreamsOf(store.read, ids),
  ]);
  const samples = Map.groupBy(latest, ({ databaseId }) => databaseId);
  const around = { observed: observed() };
  return views.map((view) => ({
    view,
    health: healthOf(view, around),
    samples: samples.get(view.database.id) ?? [],
    backupAt: backups.get(view.database.id),
    streams: streams.get(view.database.id) ?? [],
  }));
}
