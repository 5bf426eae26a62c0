/**
 * Where the log goes on, for an archiver that can read it there: places of groups in the data file or of blocks in the member of etcd, and marks
 * of the ledger between their entries. JSON.
 */
import { z } from 'zod';
import { decodeMarks, encodeMarks, MARK_BYTES, type LedgerMark } from '../log/ledger-mark.ts';
import type { LogPlaced } from '../log/placed.ts';

/** The size of a group, and of a file, is a safe integer. */
const count = z.number().int().nonnegative();
const bytes16 = z.string().regex(/^[0-9a-f]{32}$/);

const schema = z.object({
  kind: z.literal('places'),
  incarnation: count.optional(),
  places: z.array(z.object({ at: count, bytes: count, seal: bytes16 })).min(1),
  marks: z.base64(),
  more: z.boolean(),
});

export interface PlacedPart {
  /** Number of the log among all that the database has had; only of blocks. */
  readonly incarnation?: number;
  /** In order. The first one may begin before what was asked for. */
  readonly places: readonly LogPlaced[];
  readonly marks: readonly LedgerMark[];
  /** Whether more was committed than this part has. */
  readonly more: boolean;
}

export const encodePlacedPart = ({ places, marks, ...rest }: PlacedPart): string =>
  JSON.stringify({
    kind: 'places',
    ...rest,
    places: places.map(({ at, bytes, seal }) => ({
      at,
      bytes,
      seal: Buffer.from(seal).toString('hex'),
    })),
    marks: Buffer.from(encodeMarks(marks)).toString('base64'),
  } satisfies z.infer<typeof schema>);

/** Throws if it is none. */
export function decodePlacedPart(json: unknown): PlacedPart {
  const { incarnation, places, marks, more } = schema.parse(json);
  const bytes = new Uint8Array(Buffer.from(marks, 'base64'));
  return {
    ...(incarnation === undefined ? {} : { incarnation }),
    places: places.map(({ seal, ...place }) => ({ ...place, seal: Buffer.from(seal, 'hex') })),
    marks: decodeMarks(bytes, Math.floor(bytes.length / MARK_BYTES)),
    more,
  };
}
