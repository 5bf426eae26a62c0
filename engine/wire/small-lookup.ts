/** The IDs in the body of a small `lookup_accounts`, as a connection check sends it. */

/** A request that looks up more accounts does not belong to a check. */
const idsMax = 8;
const idSize = 16;
/** Trailer of a body with several batches, in IDs. */
const trailerMax = 2;

/** Each ID has 16 bytes, and a trailer may follow, which looks like one more ID. Empty for a larger lookup. */
export function idsOfSmallLookup(body: Uint8Array): readonly bigint[] {
  if (body.length > idSize * (idsMax + trailerMax)) return [];
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  return Array.from(
    { length: Math.floor(body.length / idSize) },
    (_, i) =>
      view.getBigUint64(idSize * i, true) | (view.getBigUint64(idSize * i + 8, true) << 64n),
  );
}
