/**
 * Limits how many frames of its WebSocket a client may send for the bytes in them. To read a frame costs about as much as to read a
 * small message of the protocol, but the rate limits count messages.
 */

/** A frame holds this many bytes on average; the shortest message of the protocol has four times as many. */
const bytesEach = 64;
/** Shorter frames at this rate are nobody's burden. */
const perSecond = 20;
const most = 4_096;

export class FrameAllowance {
  #left = most;
  #atMs: number;

  constructor(nowMs: number) {
    this.#atMs = nowMs;
  }

  /** Takes one frame. Returns false if there were too many. */
  take(bytes: number, nowMs: number): boolean {
    const earned = (perSecond * (nowMs - this.#atMs)) / 1_000 + bytes / bytesEach;
    this.#atMs = nowMs;
    this.#left = Math.min(most, this.#left + earned) - 1;
    return this.#left >= 0;
  }
}
