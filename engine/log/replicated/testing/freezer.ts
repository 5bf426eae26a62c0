/** Runs the callbacks of a simulated process: at once, or later and in the same order while the process stands still. */
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

  /** Drops the waiting callbacks because the process ended. */
  forget(): void {
    this.#held = undefined;
  }
}
