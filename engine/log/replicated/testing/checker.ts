/**
 * What must hold whatever goes wrong, checked as it happens, over all processes of a simulation or of a real run:
 *
 * - an acknowledged entry is never lost, and stands at the op that was told;
 * - blocks are told in order without a gap, each fitting its predecessor;
 * - at each sequence every replica is told the same block;
 * - a fence has one holder, and appends under it come from that one alone;
 * - a read that was let through sees all that was acknowledged before it was asked for.
 */
import type { Block, LogPosition } from '../block.ts';
import { misfitOf } from '../block.ts';

export class Violation extends Error {
  override readonly name = 'Violation';
}

export class Checker {
  /** By sequence: the seal, in hex, of the block that was told first, and its entries' ids. */
  readonly #blocks = new Map<number, { seal: string; ids: readonly number[]; lastOp: number }>();
  /** Acknowledged entries: their op by their id. */
  readonly #acknowledged = new Map<number, number>();
  readonly #idsByOp = new Map<number, number>();
  readonly #holders = new Map<number, string>();
  /** Who took an entry under which fence. */
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

  /** A process was told of a block, being at `position`. */
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

  /** A read was let through at a process that has executed all up to `op`. */
  read(acknowledgedBefore: number, op: number): void {
    if (op < acknowledgedBefore)
      fail(`a read at op ${op} misses what was acknowledged up to ${acknowledgedBefore}`);
  }

  /** All processes have caught up: `positions` are theirs. */
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

/** A message that carries an id, unique in a run; what a larger one has besides are no zeros, which etcd would not be given. */
export function messageWith(id: number, size = 8): Uint8Array {
  const message = new Uint8Array(size).fill(0xa5, 8);
  new DataView(message.buffer).setUint32(0, id);
  return message;
}

export const idOf = (message: Uint8Array): number =>
  new DataView(message.buffer, message.byteOffset).getUint32(0);
