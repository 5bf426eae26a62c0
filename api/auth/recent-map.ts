/** A map that forgets values after some time, and the oldest values when there are too many. */
export class RecentMap<Value> {
  readonly #max: number;
  readonly #lifetimeMs: number;
  readonly #nowMs: () => number;
  /** Entries in the order in which they were set. */
  readonly #entries = new Map<string, { readonly value: Value; readonly untilMs: number }>();

  constructor(max: number, lifetimeMs: number, nowMs: () => number) {
    this.#max = max;
    this.#lifetimeMs = lifetimeMs;
    this.#nowMs = nowMs;
  }

  get(name: string): Value | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.untilMs > this.#nowMs()) return entry.value;
    this.#entries.delete(name);
    return undefined;
  }

  set(name: string, value: Value): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, untilMs: this.#nowMs() + this.#lifetimeMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#max && oldest !== undefined) this.#entries.delete(oldest);
  }

  deleteWhere(matches: (value: Value) => boolean): void {
    for (const [name, { value }] of this.#entries) if (matches(value)) this.#entries.delete(name);
  }
}
