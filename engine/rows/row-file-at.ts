/** A file with rows on the disk. It is read several times, and must be the same each time: otherwise rows could be lost unseen. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { RowKind } from './columns.ts';
import type { RowFile } from './row-reader.ts';

/** The file cannot be read several times. The message says what to do. */
export class RowFileUnfit extends Error {
  override readonly name = 'RowFileUnfit';
}

export async function rowFileAt(path: string, kind: RowKind): Promise<RowFile> {
  const first = await stat(path, { bigint: true });
  if (!first.isFile())
    throw new RowFileUnfit(
      `${path} is not a regular file, which is read more than once. Write the rows into one.`,
    );
  async function* open(): AsyncGenerator<Uint8Array> {
    const chunks: AsyncIterable<Uint8Array> = createReadStream(path, { highWaterMark: 1 << 20 });
    yield* chunks;
    const { size, mtimeNs, ino } = await stat(path, { bigint: true });
    if (size !== first.size || mtimeNs !== first.mtimeNs || ino !== first.ino)
      throw new RowFileUnfit(
        `${path} was changed while it was read, so that no data file was made. Run this again when nobody writes it any more.`,
      );
  }
  return { name: path, kind, open };
}
