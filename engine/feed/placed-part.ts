/**
 * Where the log goes on in the engine's data file, for an archiver that has the file as well: places of groups, and marks of the ledger between
 * their entries. JSON.
 */
import { z } from 'zod';
import { decodeMarks, encodeMarks, MARK_BYTES, type LedgerMark } from '../log/ledger-mark.ts';
import type { PlacedGroup } from '../log/scan.ts';

/** The size of a group, and of a file, is a safe integer. */
const count = z.number().int().nonnegative();
const bytes16 = z.string().regex(/^[0-9a-f]{32}$/);

const schema = z.object({
  kind: z.literal('places'),
  groups: z.array(z.object({ offset: count, payloadSize: count, seal: bytes16 })).min(1),
  marks: z.base64(),
  more: z.boolean(),
});

/** A group as the reader needs it. */
export type GroupPlace = Pick<PlacedGroup, 'offset' | 'payloadSize' | 'seal'>;

export interface PlacedPart {
  /** In order. The first one may begin before what was asked for. */
  readonly groups: readonly GroupPlace[];
  readonly marks: readonly LedgerMark[];
  /** Whether more was committed than this part has. */
  readonly more: boolean;
}

export const encodePlacedPart = ({ groups, marks, more }: PlacedPart): string =>
  JSON.stringify({
    kind: 'places',
    groups: groups.map(({ offset, payloadSize, seal }) => ({
      offset,
      payloadSize,
      seal: Buffer.from(seal).toString('hex'),
    })),
    marks: Buffer.from(encodeMarks(marks)).toString('base64'),
    more,
  } satisfies z.infer<typeof schema>);

/** Throws if it is none. */
export function decodePlacedPart(json: unknown): PlacedPart {
  const { groups, marks, more } = schema.parse(json);
  const bytes = new Uint8Array(Buffer.from(marks, 'base64'));
  return {
    groups: groups.map(({ seal, ...place }) => ({ ...place, seal: Buffer.from(seal, 'hex') })),
    marks: decodeMarks(bytes, Math.floor(bytes.length / MARK_BYTES)),
    more,
  };
}
