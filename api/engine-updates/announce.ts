/** Tells the members of organizations what the catalog announces about the versions of their databases' engines. */
import { hasCome, sourcesOf, type EngineRow } from '../../domain/catalog/versions.ts';
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import { systemAuthor } from '../model/actor.ts';
import { engineUpdatesPart, latestOf } from '../model/engine-update.ts';
import { findAnyDatabase } from '../store/databases.ts';
import { takeUntold, type Announcement, type NoticeKind } from '../store/engine-notices.ts';
import type { Store } from '../store/store.ts';
import { tellUpdate } from './tell-update.ts';

/** Databases that are notified in one transaction. */
const atOnce = 50;

const eventOf = {
  AVAILABLE: 'engine.update_available',
  DEPRECATED: 'engine.deprecation_announced',
  FORCED: 'engine.update_announced',
} as const satisfies Readonly<Record<NoticeKind, string>>;

/** Pure. `catalog`: as it is at this time. */
export const announcementsOf = (
  { engines }: Pick<CatalogSpec, 'engines'>,
  nowMs: number,
): readonly Announcement[] => engines.flatMap((engine) => announcementsOfEngine(engine, nowMs));

function announcementsOfEngine(
  { name, versions }: EngineRow,
  nowMs: number,
): readonly Announcement[] {
  return versions.flatMap((row) => {
    const { version, availableFrom, deprecatedAt, forcedAt, deprecated } = row;
    const runs = sourcesOf(row);
    const about = (kind: NoticeKind, at: string, which: readonly string[]): Announcement => ({
      kind,
      engine: name,
      version,
      at: new Date(at),
      runs: which,
    });
    const isThere = availableFrom !== undefined && hasCome(availableFrom, nowMs) && !deprecated;
    return [
      ...(isThere ? [about('AVAILABLE', availableFrom, runs)] : []),
      ...(deprecatedAt === undefined ? [] : [about('DEPRECATED', deprecatedAt, [version])]),
      ...(forcedAt === undefined || deprecated ? [] : [about('FORCED', forcedAt, runs)]),
    ].filter((one) => one.runs.length > 0);
  });
}

/** Tells what is due, each once, until nothing is or the signal says so. */
export async function announce(
  store: Store,
  catalog: CatalogSpec,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  for (const announcement of announcementsOf(catalog, nowMs)) {
    while (!signal.aborted && (await announceSome(store, announcement)) === atOnce);
  }
}

function announceSome(store: Store, announcement: Announcement): Promise<number> {
  return store.change(systemAuthor(engineUpdatesPart), async (change) => {
    const notices = await takeUntold(change, announcement, atOnce);
    for (const { databaseId, engineVersion, notBefore } of notices) {
      const database = await findAnyDatabase(change.db, databaseId);
      if (database === undefined) continue;
      const { kind, engine, version, at } = announcement;
      tellUpdate(change, eventOf[kind], database, {
        engine: { name: engine, version: engineVersion },
        update: {
          version,
          at: at.toISOString(),
          ...(notBefore !== null && {
            notBefore: notBefore.toISOString(),
            latest: latestOf(notBefore).toISOString(),
          }),
        },
      });
    }
    return notices.length;
  });
}
