/**
 * Checker of the log's invariants during a run, over all processes of a simulation or of a real cluster:
 *
 * - an acknowledged entry is never lost, and stands at the op that was reported;
 * - blocks are reported in order without a gap, each fitting its predecessor;
 * - at each sequence every replica gets the same block;
 * - a fence has one holder, and only that one appends under it;
 * - a read that was let through sees everything that was acknowledged before it was requested.
 */
import type { Block, LogPosition } from '../block.ts';
import { misfitOf } from '../block.ts';

class Violation extends Error {
  override readonly name = 'Violation';
}

export class Checker {
  /** First reported block by sequence: its seal (hex), the ids of its entries, and its last op. */
  readonly #blocks = new Map<number, { seal: string; ids: readonly number[]; lastOp: number }>();
  /** Ops of the acknowledged entries by id. */
  readonly #acknowledged = new Map<number, number>();
  readonly #idsByOp = new Map<number, number>();
  readonly #holders = new Map<number, string>();
  /** Fence under which each entry was taken, by id. */
  readonly #takenUnder = new Map<number, number>();
  #acknowledgedOp = 0;

  get acknowledgedOp(): number {
    return this.#acknowledgedOp;
  }

  get acknowledgedCount(): number {
    return this.#acknowledged.size;
  }

  get blockCount(): number {
    return this.#blocks.size;
  }

  get reignCount(): number {
    return this.#holders.size;
  }

  /** Records that a process at `position` got a block. */
  told(position: LogPosition, block: Block): void {
    const misfit = misfitOf(position, block);
    if (misfit !== undefined) fail(`block ${block.sequence} does not fit: ${misfit}`);
    const seal = Buffer.from(block.seal).toString('hex');
    const known = this.#blocks.get(block.sequence);
    if (known !== undefined) {
      if (known.seal !== seal) fail(`two blocks at ${block.sequence} were told of`);
      return;
    }
    const ids = block.entries.map(({ message }) => idOf(message));
    for (const [index, id] of ids.entries()) {
      const op = block.entries[index]!.op;
      if (this.#idsByOp.has(op)) fail(`op ${op} was told of in two blocks`);
      this.#idsByOp.set(op, id);
      if (this.#takenUnder.get(id) !== block.fence)
        fail(`entry ${id} was taken under another fence than ${block.fence}`);
    }
    this.#blocks.set(block.sequence, { seal, ids, lastOp: block.entries.at(-1)!.op });
  }

  led(fence: number, process: string): void {
    const holder = this.#holders.get(fence);
    if (holder !== undefined) fail(`fence ${fence} is held by ${process}, and was by ${holder}`);
    this.#holders.set(fence, process);
  }

  taken(id: number, fence: number): void {
    this.#takenUnder.set(id, fence);
  }

  acknowledged(id: number, op: number): void {
    if (this.#idsByOp.get(op) !== id)
      fail(`entry ${id} was acknowledged at op ${op}, which is another`);
    this.#acknowledged.set(id, op);
    this.#acknowledgedOp = Math.max(this.#acknowledgedOp, op);
  }

  /** Records that a read was let through at a process that has executed everything up to `op`. */
  read(acknowledgedBefore: number, op: number): void {
    if (op < acknowledgedBefore)
      fail(`a read at op ${op} misses what was acknowledged up to ${acknowledgedBefore}`);
  }

  /** Checks the `positions` of all processes after they have caught up. */
  finished(positions: readonly LogPosition[]): void {
    const [first] = positions;
    for (const position of positions) {
      if (position.op < this.#acknowledgedOp)
        fail(
          `op ${this.#acknowledgedOp} was acknowledged and is lost: the log ends at ${position.op}`,
        );
      if (position.sequence !== first?.sequence || !same(position.seal, first.seal))
        fail('replicas end at different blocks');
    }
    for (let sequence = 1; sequence <= (first?.sequence ?? 0); sequence += 1) {
      if (!this.#blocks.has(sequence)) fail(`nobody was told of block ${sequence}`);
    }
  }
}

function fail(message: string): never {
  throw new Violation(message);
}

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/**
 * Makes a message with an id, unique in a run. The rest of a larger one is not zero, because zeros would not reach etcd.
 */
export function messageWith(id: number, size = 8): Uint8Array {
  const message = new Uint8Array(size).fill(0xa5, 8);
  new DataView(message.buffer).setUint32(0, id);
  return message;
}

export const idOf = (message: Uint8Array): number =>
  new DataView(message.buffer, message.byteOffset).getUint32(0);
