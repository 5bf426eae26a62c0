/**
 * The disk, as little of it as the data file needs; production is `disk-storage.ts`, tests inject faults with
 * `testing/memory-storage.ts`. Every promise rejects with the system's error; ENOSPC keeps its `code`.
 */
export interface StorageFile {
  /** Bytes now. */
  size(): Promise<number>;
  /** Fills `target` from `offset`; returns the bytes read, fewer only at the end of the file. */
  read(target: Uint8Array, offset: number): Promise<number>;
  /** All of `bytes`; durable after the next `sync` that starts after this resolves. */
  write(bytes: Uint8Array, offset: number): Promise<void>;
  /** All of `bytes`, durable when it resolves. */
  writeDurable(bytes: Uint8Array, offset: number): Promise<void>;
  /** Makes every finished write durable, and the file's size with it. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What a file is on. */
export interface Volume {
  readonly sizeBytes: number;
  /** That its files may still take. */
  readonly freeBytes: number;
}

export interface Storage {
  /** Opens for reading and, if asked for, writing. `exclusive` refuses (`locked`) while another process holds the file so. */
  open(
    path: string,
    options: { readonly writable: boolean; readonly exclusive: boolean },
  ): Promise<StorageFile>;
  /** Creates a file of mode 0600; fails with EEXIST. */
  create(path: string): Promise<StorageFile>;
  /** Gives a finished file its name, durably; fails with EEXIST, so that nothing is ever overwritten. */
  publish(temporary: string, path: string): Promise<void>;
  /** Puts a finished file in the place of another one, durably: at every instant one of the two has the name. */
  replace(temporary: string, path: string): Promise<void>;
  remove(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  volume(path: string): Promise<Volume>;
}

/** Whether a system error says that the volume (or the quota) is full. */
export function isFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
