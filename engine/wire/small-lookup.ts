/** The IDs in the body of a small `lookup_accounts`, as a connection check sends it. */

/** A request that looks up more accounts does not belong to a check. */
const idsMax = 8;
const idSize = 16;
/** Trailer of a body with several batches, in IDs. */
const trailerMax = 2;

/**
 * The IDs whose upper 16 bits are these. Each ID has 16 bytes, and a trailer may follow, which looks like one more ID. Empty for a
 * larger lookup. Clients wait for each lookup, so those without such an ID cost next to nothing.
 */
export function idsOfSmallLookup(body: Uint8Array, upper16: number): readonly bigint[] {
  if (body.length > idSize * (idsMax + trailerMax)) return none;
  const ids: bigint[] = [];
  for (let end = idSize; end <= body.length; end += idSize) {
    if (body[end - 1] === upper16 >> 8 && body[end - 2] === (upper16 & 0xff))
      ids.push(idAt(body, end - idSize));
  }
  return ids.length === 0 ? none : ids;
}

function idAt(body: Uint8Array, at: number): bigint {
  const view = new DataView(body.buffer, body.byteOffset + at, idSize);
  return view.getBigUint64(0, true) | (view.getBigUint64(8, true) << 64n);
}

const none: readonly bigint[] = [];
