/** What a simulated process is to do: at once, or, while it stands still, later and in the same order. */
export class Freezer {
  #held: (() => void)[] | undefined;

  get isFrozen(): boolean {
    return this.#held !== undefined;
  }

  run(callback: () => void): void {
    if (this.#held === undefined) callback();
    else this.#held.push(callback);
  }

  freeze(): void {
    this.#held ??= [];
  }

  thaw(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const callback of held) callback();
  }

  /** The process ended: what waited does not happen. */
  forget(): void {
    this.#held = undefined;
  }
}
