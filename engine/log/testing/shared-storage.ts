import { spareBytes } from '../shared-volume.ts';
import type { Volume } from '../storage.ts';
import { MemoryStorage } from './memory-storage.ts';

const SIZE_BYTES = 2 ** 30;

/** A volume shared with an etcd member. It has, beyond its capacity, the bytes that a data file leaves to the member. */
export class SharedStorage extends MemoryStorage {
  /** Bytes that the etcd member has taken. */
  takenBytes = 0;

  override async volume(): Promise<Volume> {
    const { freeBytes } = await super.volume();
    return {
      sizeBytes: SIZE_BYTES,
      freeBytes: freeBytes + spareBytes(SIZE_BYTES) - this.takenBytes,
    };
  }
}
