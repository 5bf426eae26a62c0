/**
 * A value for each client, which comes with a request and goes with its answer. A client keeps its place when its value goes: a Map to
 * which each request adds and from which it deletes is copied every few requests, and one such copy that has grown old keeps all
 * later ones from the garbage collector for long.
 */

/** Places beyond which those without a value are given up. There are fewer sessions. */
const PLACES_MAX = 256;

interface Place<T> {
  value: T | undefined;
}

export class ClientValues<T> {
  readonly #places = new Map<bigint, Place<T>>();

  get(client: bigint): T | undefined {
    return this.#places.get(client)?.value;
  }

  set(client: bigint, value: T): void {
    const place = this.#places.get(client);
    if (place !== undefined) {
      place.value = value;
      return;
    }
    if (this.#places.size >= PLACES_MAX) this.#giveUpEmpty();
    this.#places.set(client, { value });
  }

  /** Ends a client's value. Nothing happens if there is none. */
  end(client: bigint): void {
    const place = this.#places.get(client);
    if (place !== undefined) place.value = undefined;
  }

  #giveUpEmpty(): void {
    for (const [client, { value }] of this.#places)
      if (value === undefined) this.#places.delete(client);
  }
}
