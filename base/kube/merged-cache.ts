import type { Cache, KubeObject } from './kube.ts';

/** Several namespaces' caches of one kind as one. */
export class MergedCache<T extends KubeObject> implements Cache<T> {
  readonly #parts: ReadonlyMap<string, Cache<T>>;

  constructor(parts: ReadonlyMap<string, Cache<T>>) {
    this.#parts = parts;
  }

  get synced(): boolean {
    return [...this.#parts.values()].every((part) => part.synced);
  }

  get(namespace: string | undefined, name: string): T | undefined {
    return this.#parts.get(namespace ?? '')?.get(namespace, name);
  }

  list(): readonly T[] {
    return [...this.#parts.values()].flatMap((part) => part.list());
  }

  byIndex(value: string): readonly T[] {
    return [...this.#parts.values()].flatMap((part) => part.byIndex(value));
  }
}
