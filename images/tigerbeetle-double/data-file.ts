/** The double's data file. It is created completely or has no superblock, and only one process at a time opens it. */
import { diskStorage } from '../../engine/log/disk-storage.ts';
import { HEAD_SIZE } from '../../engine/log/inspect.ts';
import type { StorageFile } from '../../engine/log/storage.ts';
import { readTigerBeetleHead } from '../../engine/log/tigerbeetle-head.ts';
import { dataFileSize, writeSuperblock, type Superblock } from './superblock.ts';

const sectorSize = 4_096;

/**
 * Fails with EEXIST if the file exists, as upstream does. The superblock is written last: without it the file is no data file.
 */
export async function createDataFile(path: string, superblock: Superblock): Promise<void> {
  const file = await diskStorage.create(path);
  try {
    // Upstream allocates the whole file; a hole is enough here, because nothing is ever written there.
    await file.write(new Uint8Array(sectorSize), dataFileSize - sectorSize);
    await file.sync();
    await writeSuperblock(file, superblock);
    await file.sync();
  } finally {
    await file.close();
  }
}

export class DataFile {
  readonly #file: StorageFile;
  #superblock: Superblock;

  private constructor(file: StorageFile, superblock: Superblock) {
    this.#file = file;
    this.#superblock = superblock;
  }

  static async open(path: string): Promise<DataFile> {
    const file = await diskStorage.open(path, { writable: true, exclusive: true });
    const bytes = new Uint8Array(HEAD_SIZE);
    const length = await file.read(bytes, 0);
    const head = readTigerBeetleHead(bytes.subarray(0, length));
    if (head === undefined) throw new Error(`${path}: superblock quorum lost`);
    const { clusterId, replicaIndex, replicaCount } = head;
    return new DataFile(file, { ...head, identity: { clusterId, replicaIndex, replicaCount } });
  }

  get superblock(): Superblock {
    return this.#superblock;
  }

  async update(change: Partial<Superblock>): Promise<void> {
    const next = { ...this.#superblock, ...change, sequence: this.#superblock.sequence + 1 };
    await writeSuperblock(this.#file, next);
    this.#superblock = next;
  }
}
