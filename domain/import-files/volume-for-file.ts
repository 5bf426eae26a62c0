/** The parts of a volume that a file of TigerBeetle may have: it is copied as it is, and grows. */
const partsOfVolume = { file: 7n, of: 8n } as const;

/** GiB of the smallest volume that has room for a data file of TigerBeetle. */
export function volumeForFile(sizeBytes: number): number {
  const needed = BigInt(sizeBytes) * partsOfVolume.of;
  const perGib = partsOfVolume.file << 30n;
  return Number((needed + perGib - 1n) / perGib);
}
