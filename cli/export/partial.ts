/** Reads what an interrupted export has written, line by line: only rows in their order are continued. */
import type { FileHandle } from 'node:fs/promises';
import { CliFailure } from '../failure.ts';
import { ExitCode } from '../exit-code.ts';
import type { Row, RowFormat } from './rows.ts';

export interface Found {
  /** `undefined`: not even the header is whole. */
  readonly header: string | undefined;
  readonly rows: number;
  readonly first: Row | undefined;
  readonly last: Row | undefined;
  /** Bytes of all complete lines. */
  readonly sizeBytes: number;
}

interface PartialFile {
  /** For messages. */
  readonly name: string;
  readonly format: RowFormat;
}

const chunkBytes = 2 ** 20;
/** Far longer than a row; more without a line's end is no export. */
const lineMax = 2 ** 16;

export async function scanPartial(
  handle: FileHandle,
  { name, format }: PartialFile,
  signal: AbortSignal,
): Promise<Found> {
  const { lineEnd, hasHeader } = format;
  let header = hasHeader ? undefined : '';
  let read = format.lineReader('');
  let [rows, lineNumber, sizeBytes] = [0, 0, 0];
  let first: Row | undefined;
  let last: Row | undefined;
  let rest = '';
  const chunk = Buffer.alloc(chunkBytes);
  for (let offset = 0; ;) {
    const { bytesRead } = await handle.read(chunk, 0, chunkBytes, offset);
    signal.throwIfAborted();
    if (bytesRead === 0) break;
    offset += bytesRead;
    // One character a byte, so that lengths are sizes; rows are ASCII.
    const lines = (rest + chunk.toString('latin1', 0, bytesRead)).split(lineEnd);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      lineNumber += 1;
      sizeBytes += line.length + lineEnd.length;
      if (header === undefined) {
        header = line + lineEnd;
        read = format.lineReader(header);
        continue;
      }
      const row = read(line);
      rows += 1;
      if (row === undefined || (last !== undefined && row.timestamp <= last.timestamp)) {
        throw damaged(name, lineNumber);
      }
      first ??= row;
      last = row;
    }
    if (rest.length > lineMax) throw damaged(name, lineNumber + 1);
  }
  return { header, rows, first, last, sizeBytes };
}

const damaged = (name: string, line: number): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Validation,
    code: 'file_damaged',
    title: 'The file cannot be continued',
    detail: `${name} cannot be continued: line ${line} is no row in this format, or out of order`,
    nextSteps: [`give the format of before, or remove ${name} to begin anew`],
  });
