/** The requests of clients and their answers, in a form that can be checked afterwards. */

import type { TrueTime } from './true-time.ts';

/** The highest op and timestamp that any client was told: every request sent now must come after them. */
export interface Floor {
  readonly op: number;
  readonly timestamp: bigint;
}

interface Told {
  /** Number of the operation. Absent for official clients, which do not report it. */
  readonly op?: number;
  /** Timestamp of the operation, which is that of its last event. */
  readonly timestamp: bigint;
  readonly body: Uint8Array;
}

/**
 * A creation, or a registration of a session. The first event of a creation always has a new id, so its presence says
 * whether the request was executed.
 */
export interface Write {
  readonly who: string;
  readonly operation: number;
  /** Makes the request's body. Bodies are not kept, because some have a megabyte. */
  readonly body: () => Uint8Array;
  readonly floor: Floor;
  /** The answer. Undefined if it is unknown whether the request was executed. */
  told?: Told;
}

export interface Read {
  readonly who: string;
  readonly operation: number;
  readonly body: Uint8Array;
  readonly floor: Floor;
  /** The last operation that the read saw. */
  readonly op: number;
  readonly result: Uint8Array;
}

export class History {
  readonly writes: Write[] = [];
  readonly reads: Read[] = [];
  /** Errors found during the run. */
  readonly wrong: string[] = [];
  /** When somebody was answered, by performance.now(), and how long that one had waited, ms. */
  readonly answeredAtMs: number[] = [performance.now()];
  readonly #waitedMs: number[] = [0];
  #op = 0;
  #timestamp = 0n;
  readonly #time: TrueTime | undefined;

  /** `time`: if given, no operation's timestamp may be ahead of it when a client is told. */
  constructor(time?: TrueTime) {
    this.#time = time;
  }

  get floor(): Floor {
    return { op: this.#op, timestamp: this.#timestamp };
  }

  /** Records a write. Must be called before the request is sent. */
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

  /** Checks the timestamp of an operation that was executed just now or earlier. */
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
