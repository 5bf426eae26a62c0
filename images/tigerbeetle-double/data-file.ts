/** The double's data file: made whole or left without a superblock, and opened by one process at a time. */
import { diskStorage } from '../../engine/log/disk-storage.ts';
import { HEAD_SIZE } from '../../engine/log/inspect.ts';
import type { StorageFile } from '../../engine/log/storage.ts';
import { readTigerBeetleHead } from '../../engine/log/tigerbeetle-head.ts';
import { dataFileSize, writeSuperblock, type Superblock } from './superblock.ts';

const sectorSize = 4_096;

/** Fails with EEXIST when there is a file, as upstream does. The superblock comes last: without it nothing is a data file. */
export async function createDataFile(path: string, superblock: Superblock): Promise<void> {
  const file = await diskStorage.create(path);
  try {
    // Upstream allocates all of it; a hole will do here, where nothing is ever written.
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
