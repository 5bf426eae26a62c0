import type { CatalogSpec } from '../../domain/custom-resources.ts';

const gibibyte = 1024 ** 3;

/** Maximum of the bytes of an organization's open imports: as configured, or what the largest storage of the catalog holds. */
export const bytesMaxOf = (
  { storageTiers }: Pick<CatalogSpec, 'storageTiers'>,
  configured: number | undefined,
): number => configured ?? gibibyte * Math.max(...storageTiers.map(({ maxGb }) => maxGb));
