/**
 * Bytes that organizations may send in a second, in this process. A request may exceed it, and its organization then waits until
 * the debt is paid: so the size of a request need not be known before it is made.
 */
export class ByteBudget {
  readonly #perSecond: number;
  readonly #nowMs: () => number;
  /** Bytes beyond what was allowed, by organization, the oldest first. Who owes nothing is not in it. */
  readonly #debts = new Map<string, { readonly bytes: number; readonly atMs: number }>();

  constructor(perSecond: number, nowMs: () => number) {
    this.#perSecond = perSecond;
    this.#nowMs = nowMs;
  }

  /** Organizations that are remembered. */
  get size(): number {
    return this.#debts.size;
  }

  sent(organizationId: string, bytes: number): void {
    const owed = this.#owed(organizationId) + bytes;
    this.#debts.delete(organizationId);
    this.#debts.set(organizationId, { bytes: owed, atMs: this.#nowMs() });
    this.#forgetPaid();
  }

  /** Time until the organization may send; 0: at once. A second's bytes may be sent ahead. */
  pauseMs(organizationId: string): number {
    const beyond = this.#owed(organizationId) - this.#perSecond;
    return beyond <= 0 ? 0 : Math.ceil((1_000 * beyond) / this.#perSecond);
  }

  #owed(organizationId: string): number {
    const debt = this.#debts.get(organizationId);
    if (debt === undefined) return 0;
    const paid = ((this.#nowMs() - debt.atMs) * this.#perSecond) / 1_000;
    return Math.max(0, debt.bytes - paid);
  }

  #forgetPaid(): void {
    for (const organizationId of this.#debts.keys()) {
      if (this.#owed(organizationId) > 0) return;
      this.#debts.delete(organizationId);
    }
  }
}
