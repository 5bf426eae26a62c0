import type { CatalogSpec } from '../../domain/custom-resources.ts';

/** Time in which a deleted database can be restored: as long as the operator keeps its volumes. */
export const retentionMs = (catalog: CatalogSpec | undefined): number =>
  (catalog?.retention?.deletedVolumesDays ?? 7) * 24 * 60 * 60_000;
