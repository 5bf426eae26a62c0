/**
 * etcd's store as the log sees it: keys with revisions, transactions, history until it is compacted. It has no faults and
 * no time; the fake cluster adds them.
 */
import type {
  Compare,
  KeyValue,
  Operation,
  Range,
  RangeResult,
  Txn,
  TxnResult,
  WatchEvent,
} from '../etcd.ts';

/** Deliberate defects of the store, so that a test can show that its checker notices them. */
export interface StoreDefects {
  /** Conditions on `lead` always hold. */
  readonly ignoresFence?: boolean;
  /** Conditions on ranges always hold: a late deletion deletes new blocks. */
  readonly ignoresRangeGuards?: boolean;
  /** Conditions on `floor` always hold: a late trim lowers it. */
  readonly lowersFloor?: boolean;
}

interface Change extends WatchEvent {
  readonly name: string;
  readonly revision: number;
}

export class FakeStore {
  readonly #defects: StoreDefects;
  revision = 1;
  compactedRevision = 0;
  readonly #keys = new Map<string, KeyValue>();
  /** Bytes of all values now. */
  bytesInUse = 0;
  /** All changes, oldest first. Compacted ones stay here for the tests; readers do not see them. */
  readonly history: Change[] = [];

  constructor(defects: StoreDefects = {}) {
    this.#defects = defects;
  }

  get(key: Uint8Array): KeyValue | undefined {
    return this.#keys.get(nameOf(key));
  }

  /** Runs a transaction. Returns `undefined` if the requested revision is compacted. */
  txn({ compare, success, failure }: Txn): TxnResult | undefined {
    const succeeded = compare.every((condition) => this.#holds(condition));
    const operations = succeeded ? success : failure;
    if (operations.some((each) => each.do !== 'range')) this.revision += 1;
    const results: RangeResult[] = [];
    for (const operation of operations) {
      const result = this.#run(operation);
      if (result === undefined) return undefined;
      results.push(result);
    }
    return { revision: this.revision, succeeded, results };
  }

  /** Number of blocks that a new leader cut off. */
  get truncatedCount(): number {
    const trims = new Set(
      this.history.flatMap(({ name, revision }) => (name === 'floor' ? [revision] : [])),
    );
    return this.history.filter(({ deleted, revision }) => deleted && !trims.has(revision)).length;
  }

  compact(revision: number): void {
    this.compactedRevision = Math.max(this.compactedRevision, revision);
  }

  /** Returns the changes in a range from a revision on, oldest first. */
  changes(from: number, { key, rangeEnd }: Pick<Range, 'key' | 'rangeEnd'>): WatchEvent[] {
    const inRange = within(key, rangeEnd);
    const found: Change[] = [];
    for (let at = this.history.length - 1; at >= 0; at -= 1) {
      const change = this.history[at]!;
      if (change.revision < from) break;
      if (inRange(change.name)) found.push(change);
    }
    return found.reverse();
  }

  #holds({ key, rangeEnd, target, is, revision }: Compare): boolean {
    const { ignoresFence, ignoresRangeGuards, lowersFloor } = this.#defects;
    if (ignoresFence === true && nameOf(key) === 'lead' && this.#keys.has('lead')) return true;
    if (ignoresRangeGuards === true && rangeEnd !== undefined) return true;
    if (lowersFloor === true && nameOf(key) === 'floor') return true;
    const holds = (kv: KeyValue | undefined): boolean => {
      const found = kv?.[target] ?? 0;
      return is === 'equal' ? found === revision : found < revision;
    };
    if (rangeEnd === undefined) return holds(this.#keys.get(nameOf(key)));
    return this.#select({ key, rangeEnd }).every(holds);
  }

  #run(operation: Operation): RangeResult | undefined {
    if (operation.do === 'range') return this.#range(operation);
    const revision = this.revision;
    if (operation.do === 'put') {
      const name = nameOf(operation.key);
      const createRevision = this.#keys.get(name)?.createRevision ?? revision;
      const { key, value } = operation;
      const kv = { key, value, createRevision, modRevision: revision };
      this.bytesInUse += value.length - (this.#keys.get(name)?.value.length ?? 0);
      this.#keys.set(name, kv);
      this.history.push({ name, revision, deleted: false, kv });
    } else {
      for (const { key } of this.#select(operation)) {
        const name = nameOf(key);
        this.bytesInUse -= this.#keys.get(name)?.value.length ?? 0;
        this.#keys.delete(name);
        const kv = { key, value: new Uint8Array(0), createRevision: 0, modRevision: revision };
        this.history.push({ name, revision, deleted: true, kv });
      }
    }
    return { kvs: [], more: false };
  }

  #range({ key, rangeEnd, limit, revision, keysOnly }: Range): RangeResult | undefined {
    const past = revision !== undefined && revision < this.revision;
    if (past && revision < this.compactedRevision) return undefined;
    const all = past
      ? this.#selectAsOf(revision, { key, rangeEnd })
      : this.#select({ key, rangeEnd });
    const kvs = limit === undefined ? all : all.slice(0, limit);
    const more = kvs.length < all.length;
    if (keysOnly !== true) return { kvs, more };
    return { kvs: kvs.map((kv) => ({ ...kv, value: new Uint8Array(0) })), more };
  }

  #select({ key, rangeEnd }: { key: Uint8Array; rangeEnd?: Uint8Array | undefined }): KeyValue[] {
    if (rangeEnd === undefined) {
      const kv = this.#keys.get(nameOf(key));
      return kv === undefined ? [] : [kv];
    }
    const inRange = within(key, rangeEnd);
    const found = [...this.#keys].filter(([name]) => inRange(name));
    return sorted(found);
  }

  #selectAsOf(
    revision: number,
    range: { key: Uint8Array; rangeEnd?: Uint8Array | undefined },
  ): KeyValue[] {
    const inRange = within(range.key, range.rangeEnd);
    const keys = new Map<string, KeyValue>();
    for (const change of this.history) {
      if (change.revision > revision) break;
      if (!inRange(change.name)) continue;
      if (change.deleted) keys.delete(change.name);
      else keys.set(change.name, change.kv);
    }
    return sorted([...keys]);
  }
}

const sorted = (found: [string, KeyValue][]): KeyValue[] =>
  found.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, kv]) => kv);

/** Converts a key to a string with one character per byte, so that strings compare as keys do. */
const nameOf = (key: Uint8Array): string => Buffer.from(key).toString('latin1');

function within(key: Uint8Array, rangeEnd: Uint8Array | undefined): (name: string) => boolean {
  const first = nameOf(key);
  if (rangeEnd === undefined) return (name) => name === first;
  const end = nameOf(rangeEnd);
  return (name) => name >= first && name < end;
}
