/** A log of several replicas in a member of etcd without faults, and its reader for an archive. */
import { messageOf } from '../../testing/replica.ts';
import type { LogEntry } from '../../log.ts';
import { blockSealKey, encodeBlock, positionAfter, type LogPosition } from '../block.ts';
import type { Txn, TxnResult } from '../etcd.ts';
import { originOf } from '../identity.ts';
import { blockKey } from '../keys.ts';
import { ReplicatedReader } from '../readable-log.ts';
import { FakeStore } from './fake-store.ts';

export const CLUSTER = 7n;
const INCARNATION = 2;

/** An entry; most of a large one is zeros. */
export function entryOf(op: number, bytes: number): LogEntry {
  const message = messageOf(op, bytes);
  if (bytes > 100_000) message.fill(0, 50_000);
  return { op, timestamp: BigInt(op), view: 1, message };
}

export class ArchivedLog {
  readonly reader: ReplicatedReader;
  /** Requests that the member was sent. */
  requests = 0;
  readonly #store = new FakeStore();
  readonly #key = blockSealKey(CLUSTER, INCARNATION);
  #position: LogPosition = originOf({
    op: 0,
    timestamp: 0n,
    view: 0,
    stateHash: new Uint8Array(16),
  });

  /** `archived`: whether an archive was there from the beginning. */
  constructor({ archived = true } = {}) {
    this.reader = new ReplicatedReader({
      etcd: this.member,
      identity: { clusterId: CLUSTER, replicaIndex: 0, replicaCount: 3 },
      incarnation: INCARNATION,
      executed: () => this.#position,
    });
    if (archived) this.reader.archived(0);
  }

  get member(): { txn(request: Txn): Promise<TxnResult>; close(): void } {
    return {
      txn: (request) => {
        this.requests += 1;
        const result = this.#store.txn(request);
        return result === undefined
          ? Promise.reject(new Error('compacted'))
          : Promise.resolve(result);
      },
      close: () => undefined,
    };
  }

  get op(): number {
    return this.#position.op;
  }

  /** Commits a block of messages of these sizes. */
  append(sizes: readonly number[]): void {
    const entries = sizes.map((bytes, index) => entryOf(this.op + 1 + index, bytes));
    const made = { fence: 1, view: 1, entries };
    const { block, bytes } = encodeBlock(this.#key, this.#position, made);
    const put = { do: 'put', key: blockKey(block.sequence), value: bytes } as const;
    this.#store.txn({ compare: [], success: [put], failure: [] });
    this.#position = positionAfter(block);
    this.reader.committed(block);
  }

  /** Deletes the blocks before a sequence. */
  deleteBefore(sequence: number): void {
    const range = { key: blockKey(0), rangeEnd: blockKey(sequence) };
    this.#store.txn({ compare: [], success: [{ do: 'delete', ...range }], failure: [] });
  }
}
