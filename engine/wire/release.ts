/** Releases of the protocol: a u32 whose numeric order is the order of versions, `major << 16 | minor << 8 | patch`. */
export function releaseOf(major: number, minor: number, patch: number): number {
  return major * 65_536 + minor * 256 + patch;
}

/** Release that this engine reports: the one whose answers it gives. */
export const engineRelease = releaseOf(0, 17, 9);

/** Oldest client release that is served (as TigerBeetle 0.17's `release_client_min`). */
export const oldestClientRelease = releaseOf(0, 16, 4);

export function formatRelease(release: number): string {
  return `${release >>> 16}.${(release >>> 8) & 0xff}.${release & 0xff}`;
}
