/** A bucket in memory whose objects are locked, as an S3 server with object lock keeps them. */
import { ArchiveError, missing } from '../errors.ts';
import { lastsLongEnough, lockUntil, type Locks, type ObjectLock } from '../object-lock.ts';
import { MemoryStore } from './memory-store.ts';

export class LockingStore extends MemoryStore {
  /** Ends of locks by key. */
  readonly ends = new Map<string, string>();
  /** Questions for ends of locks, and requests that changed one. */
  looks = 0;
  changes = 0;
  readonly locks: Locks;

  constructor(lock: ObjectLock, nowMs: number) {
    super();
    this.nowMs = nowMs;
    const isEnough = (until: string) => lastsLongEnough(lock, until, this.nowMs);
    const lasting = (key: string) => {
      this.looks += 1;
      if (!this.objects.has(key)) return Promise.reject(missing(key));
      const until = this.ends.get(key);
      return Promise.resolve(until !== undefined && isEnough(until) ? until : undefined);
    };
    this.locks = {
      isEnough,
      lasting,
      prove: () => Promise.resolve(),
      endOfNew: () => lockUntil(lock, this.nowMs),
      keep: async (key) => {
        const before = await lasting(key);
        if (before !== undefined) return before;
        this.changes += 1;
        const until = lockUntil(lock, this.nowMs);
        this.ends.set(key, until);
        return until;
      },
    };
  }

  override async create(key: string, bytes: Uint8Array): Promise<'created' | 'exists'> {
    const made = await super.create(key, bytes);
    if (made === 'created') this.ends.set(key, this.locks.endOfNew());
    return made;
  }

  override async remove(key: string): Promise<void> {
    const until = this.ends.get(key);
    if (until !== undefined && Date.parse(until) > this.nowMs)
      throw new ArchiveError('object_locked', `${key} is locked until ${until}.`, { key });
    await super.remove(key);
    this.ends.delete(key);
  }
}
