/** A file to be read, wherever it is. */
export interface ReadableFile {
  /** Fills `target` from `offset`. Returns the number of bytes read, which is smaller only at the end of the file. */
  read(target: Uint8Array, offset: number): Promise<number>;
}

/**
 * The part of a disk that the data file needs. Production uses `disk-storage.ts`; tests inject faults with
 * `testing/memory-storage.ts`. Every promise rejects with the system's error; ENOSPC keeps its `code`.
 */
export interface StorageFile extends ReadableFile {
  /** Returns the file's present size in bytes. */
  size(): Promise<number>;
  /** Writes all of `bytes`. They are durable after the next `sync` that starts after this resolves. */
  write(bytes: Uint8Array, offset: number): Promise<void>;
  /** Writes all of `bytes`. They are durable when this resolves. */
  writeDurable(bytes: Uint8Array, offset: number): Promise<void>;
  /** Makes every finished write durable, and the file's size with it. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The volume that a file is on. */
export interface Volume {
  readonly sizeBytes: number;
  /** Bytes by which its files may still grow. */
  readonly freeBytes: number;
}

export interface Storage {
  /**
   * Opens a file for reading and, if `writable`, writing. `exclusive` rejects (`locked`) while another process holds it
   * exclusively.
   */
  open(
    path: string,
    options: { readonly writable: boolean; readonly exclusive: boolean },
  ): Promise<StorageFile>;
  /** Creates a file of mode 0600; fails with EEXIST. */
  create(path: string): Promise<StorageFile>;
  /**
   * Gives a finished file its name, durably. Rejects with EEXIST if the name exists, so that nothing is ever overwritten.
   */
  publish(temporary: string, path: string): Promise<void>;
  /** Replaces a file by a finished one, durably. At every instant one of the two has the name. */
  replace(temporary: string, path: string): Promise<void>;
  remove(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** Describes the volume of a file, which need not exist yet. */
  volume(path: string): Promise<Volume>;
}

/** Returns whether a system error says that the volume or the quota is full. */
export function isFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** Returns whether a system error says that the disk cannot give these bytes, while it may give others. */
export function isUnreadable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'EIO' || code === 'EILSEQ';
}
