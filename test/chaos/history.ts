/** What clients asked and were told, in a form that can be checked afterwards. */

import type { TrueTime } from './true-time.ts';

/** What every request that is sent now must come after: the highest that anybody was told. */
export interface Floor {
  readonly op: number;
  readonly timestamp: bigint;
}

export interface Told {
  /** Not told by the official clients. */
  readonly op?: number;
  /** Of the operation: its last event's. */
  readonly timestamp: bigint;
  readonly body: Uint8Array;
}

/**
 * A creation, or a registration of a session. The first event of a creation creates what is new under any circumstances, so
 * that its presence says whether the request was executed.
 */
export interface Write {
  readonly who: string;
  readonly operation: number;
  /** Made anew when it is needed: some have a megabyte. */
  readonly body: () => Uint8Array;
  readonly floor: Floor;
  /** Undefined: whether it was executed is unknown. */
  told?: Told;
}

export interface Read {
  readonly who: string;
  readonly operation: number;
  readonly body: Uint8Array;
  readonly floor: Floor;
  /** The last operation that it saw. */
  readonly op: number;
  readonly result: Uint8Array;
}

export class History {
  readonly writes: Write[] = [];
  readonly reads: Read[] = [];
  /** What was found to be wrong while it ran. */
  readonly wrong: string[] = [];
  /** When somebody was answered, by performance.now(), and how long that one had waited, ms. */
  readonly answeredAtMs: number[] = [performance.now()];
  readonly #waitedMs: number[] = [0];
  #op = 0;
  #timestamp = 0n;
  readonly #time: TrueTime | undefined;

  /** With a true time, no operation's timestamp may be ahead of it when somebody is told. */
  constructor(time?: TrueTime) {
    this.#time = time;
  }

  get floor(): Floor {
    return { op: this.#op, timestamp: this.#timestamp };
  }

  /** To be called before the request is sent. */
  begin(who: string, operation: number, body: () => Uint8Array): Write {
    const write: Write = { who, operation, body, floor: this.floor };
    this.writes.push(write);
    return write;
  }

  acknowledged(write: Write, told: Told, sentAtMs: number): void {
    write.told = told;
    this.judgeTime(told.timestamp, `the write of ${write.who}`);
    this.#op = Math.max(this.#op, told.op ?? 0);
    if (told.timestamp > this.#timestamp) this.#timestamp = told.timestamp;
    this.#answered(sentAtMs);
  }

  read(read: Read, sentAtMs: number): void {
    this.reads.push(read);
    this.#op = Math.max(this.#op, read.op);
    this.#answered(sentAtMs);
  }

  /** An operation with this timestamp was executed just now, or earlier. */
  judgeTime(timestamp: bigint, what: string): void {
    const aheadMs = this.#time?.aheadMs(timestamp);
    if (aheadMs !== undefined)
      this.wrong.push(`${what} at timestamp ${timestamp} is ${aheadMs} ms ahead of the true time`);
  }

  /** The longest time without an answer to anybody between two moments, ms. */
  longestGapMs(fromMs: number, toMs: number): number {
    let [longest, last] = [0, fromMs];
    for (let i = firstFrom(this.answeredAtMs, fromMs); i < this.answeredAtMs.length; i += 1) {
      const at = this.answeredAtMs[i]!;
      if (at > toMs) break;
      longest = Math.max(longest, at - last);
      last = at;
    }
    return Math.max(longest, toMs - last);
  }

  /** The longest that anybody had waited who was answered between two moments, ms. */
  longestWaitMs(fromMs: number, toMs: number): number {
    let longest = 0;
    for (let i = firstFrom(this.answeredAtMs, fromMs); i < this.answeredAtMs.length; i += 1) {
      if (this.answeredAtMs[i]! > toMs) break;
      longest = Math.max(longest, this.#waitedMs[i]!);
    }
    return longest;
  }

  #answered(sentAtMs: number): void {
    const nowMs = performance.now();
    this.answeredAtMs.push(nowMs);
    this.#waitedMs.push(nowMs - sentAtMs);
  }
}

function firstFrom(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
