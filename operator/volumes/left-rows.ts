/** Rows of the metric of volumes that were handed over and that no database has. */
import type { Claim } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
import { handedOverMs } from './decide.ts';

type Row = readonly [
  { readonly namespace: string; readonly name: string; readonly claim: string },
  number,
];

/** `isThere`: whether there is a database with this uid. */
export const leftRows = (
  claims: readonly Claim[],
  isThere: (uid: string) => boolean,
): readonly Row[] =>
  claims.flatMap((volume): readonly Row[] => {
    const sinceMs = handedOverMs(volume);
    const { namespace = '', name: claim = '', labels: of } = volume.metadata;
    if (sinceMs === undefined || isThere(of?.[labels.uid] ?? '')) return [];
    return [[{ namespace, name: of?.[labels.database] ?? '', claim }, sinceMs / 1_000]];
  });
