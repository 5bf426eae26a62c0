/** Bytes that this process holds for owners, such as organizations, with a limit in total and one for each owner. */
export interface ByteLimits {
  readonly totalBytes: number;
  readonly organizationBytes: number;
}

export class HeldBytes {
  readonly limits: ByteLimits;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limits: ByteLimits) {
    this.limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /** The limit that these bytes would exceed; `undefined` if there is room. */
  limitReached(owner: string, bytes: number): keyof ByteLimits | undefined {
    const { totalBytes, organizationBytes } = this.limits;
    if ((this.#held.get(owner) ?? 0) + bytes > organizationBytes) return 'organizationBytes';
    return this.#total + bytes > totalBytes ? 'totalBytes' : undefined;
  }

  /** Counts more bytes, or fewer if negative, whether there is room or not. */
  count(owner: string, bytes: number): void {
    this.#total += bytes;
    const held = (this.#held.get(owner) ?? 0) + bytes;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
  }
}
