/** Goes through the rows of a file one by one. */
import { RECORD_SIZE, TIMESTAMP_OFFSET, type RowKind } from './columns.ts';
import { readRows, type RowFile, type Rows } from './row-reader.ts';
import type { LineFault } from './report.ts';

export class RowCursor {
  readonly file: RowFile;
  readonly #rows: AsyncGenerator<Rows>;
  #read: Rows | undefined;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = -1;

  constructor(file: RowFile, onFault: (fault: LineFault) => void) {
    this.file = file;
    this.#rows = readRows(file, onFault);
  }

  get kind(): RowKind {
    return this.file.kind;
  }

  /** False behind the last row. */
  get isAtRow(): boolean {
    return this.#read !== undefined;
  }

  get line(): number {
    return this.#read?.lines[this.#at] ?? 0;
  }

  /** The row's record. The caller may change it. */
  get record(): Uint8Array {
    const at = this.#at * RECORD_SIZE;
    return this.#read!.records.subarray(at, at + RECORD_SIZE);
  }

  get timestamp(): bigint {
    return this.#view.getBigUint64(this.#at * RECORD_SIZE + TIMESTAMP_OFFSET, true);
  }

  set timestamp(value: bigint) {
    this.#view.setBigUint64(this.#at * RECORD_SIZE + TIMESTAMP_OFFSET, value, true);
  }

  /** Goes to the next row; at first, to the first one. Returns a promise only where more must be read. */
  next(): Promise<void> | undefined {
    this.#at += 1;
    if (this.#read !== undefined && this.#at < this.#read.lines.length) return undefined;
    return this.#readMore();
  }

  async close(): Promise<void> {
    await this.#rows.return(undefined);
  }

  async #readMore(): Promise<void> {
    const next = await this.#rows.next();
    this.#at = 0;
    this.#read = next.done === true ? undefined : next.value;
    const { buffer, byteOffset, byteLength } = this.#read?.records ?? new Uint8Array(0);
    this.#view = new DataView(buffer, byteOffset, byteLength);
  }
}
