/**
 * Collection of garbage when this process knows better than V8. V8 decides by the size of its own heap, and hardly counts bytes outside of it:
 * pages, entries of the log and shared memory that nobody needs any more.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects all garbage of this thread. */
export const collectGarbage = runInNewContext('gc') as () => void;

const GROWTH_BYTES = 64 << 20;
const PAUSE_MS = 5;

/**
 * Keeps the garbage small of work that makes much of it while V8 sees little: a start, and segments of the index that were merged into
 * others. Without it, an engine in a pod came to the pod's limit with 200 MiB of them.
 */
export class GrownGarbage {
  readonly #residentBytes: () => number;
  readonly #nowMs: () => number;
  readonly #collect: () => void;
  #leastBytes = Infinity;
  #lookedAtMs = -Infinity;

  constructor(
    residentBytes = (): number => process.memoryUsage.rss(),
    nowMs = (): number => performance.now(),
    collect = collectGarbage,
  ) {
    this.#residentBytes = residentBytes;
    this.#nowMs = nowMs;
    this.#collect = collect;
  }

  /** Call it often, between two pieces of work. It collects garbage if the process has grown by 64 MiB since the last time. */
  check(): void {
    const now = this.#nowMs();
    if (now < this.#lookedAtMs + PAUSE_MS) return;
    this.#lookedAtMs = now;
    const resident = this.#residentBytes();
    this.#leastBytes = Math.min(this.#leastBytes, resident);
    if (resident < this.#leastBytes + GROWTH_BYTES) return;
    this.#collect();
    this.#leastBytes = this.#residentBytes();
  }
}
