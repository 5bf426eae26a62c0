/** A file of log lines, one JSON document a line. The browser keeps its bytes outside of the page's memory. */
import type { LogLineList } from '../../../../gen/api.ts';

const pagesMax = 40;
const bytesMax = 64 * 2 ** 20;

export interface LinesFile {
  readonly content: Blob;
  readonly count: number;
  /** Whether all lines are in it. */
  readonly isWhole: boolean;
  /** The error that ended it. */
  readonly error: unknown;
}

interface Reading {
  /** Reads the page at a cursor; `undefined` for the first one. */
  readonly page: (cursor: string | undefined) => Promise<LogLineList>;
  /** Called after each page with the number of lines read so far. */
  readonly onRead: (count: number) => void;
  readonly signal: AbortSignal;
}

/** What was read before an error is a file, too. Throws if nothing was read, or if the signal aborts. */
export async function readLinesFile({ page, onRead, signal }: Reading): Promise<LinesFile> {
  const parts: Blob[] = [];
  let [count, bytes] = [0, 0];
  let cursor: string | undefined;
  const end = (rest: Pick<LinesFile, 'isWhole' | 'error'>): LinesFile => ({
    content: new Blob(parts),
    count,
    ...rest,
  });
  do {
    let read: LogLineList;
    try {
      read = await page(cursor);
    } catch (error) {
      if (signal.aborted || count === 0) throw error;
      return end({ isWhole: false, error });
    }
    const part = new Blob(read.data.map((line) => `${JSON.stringify(line)}\n`));
    parts.push(part);
    count += read.data.length;
    bytes += part.size;
    onRead(count);
    if (read.page.nextCursor === null) return end({ isWhole: true, error: undefined });
    cursor = read.page.nextCursor;
  } while (parts.length < pagesMax && bytes < bytesMax);
  return end({ isWhole: false, error: undefined });
}
