import type { Cache, KubeObject } from './kube.ts';

export interface ObjectChange<T extends KubeObject> {
  readonly namespace: string | undefined;
  readonly name: string;
  /** The object; `undefined` if it is gone. */
  readonly object: T | undefined;
  /** The object before the change; `undefined` if the object is new, also when it replaces one of the same name. */
  readonly previous: T | undefined;
  /** Whether a watch told that the object has just been made: `object` is its first version. */
  readonly isBirth?: boolean;
}

/** A label's key, or a function that returns an object's index value. */
export type Index<T extends KubeObject> = string | ((object: T) => string | undefined);

/** Objects by namespace and name, without fields that only the API server needs. Reports each change. */
export class ObjectCache<T extends KubeObject> implements Cache<T> {
  synced = false;
  readonly #objects = new Map<string, T>();
  readonly #index = new Map<string, Map<string, T>>();
  readonly #indexOf: (object: T) => string | undefined;

  constructor(index?: Index<T>) {
    this.#indexOf =
      typeof index === 'string'
        ? (object) => object.metadata.labels?.[index]
        : (index ?? (() => undefined));
  }

  get(namespace: string | undefined, name: string): T | undefined {
    return this.#objects.get(pathOf(namespace, name));
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  byIndex(value: string): readonly T[] {
    return [...(this.#index.get(value)?.values() ?? [])];
  }

  /** Returns the object as the cache keeps it: the cached one of the same version, or this one without the fields that only the API server needs. */
  kept(object: T): T {
    const { namespace, name = '', uid, resourceVersion } = object.metadata;
    const held = this.#objects.get(pathOf(namespace, name));
    const same = held?.metadata.uid === uid && held?.metadata.resourceVersion === resourceVersion;
    return same && held !== undefined ? held : slim(object);
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Returns one change, none if this version is held, or two: another object of the same name is a removal and an addition. */
  put(whole: T): readonly ObjectChange<T>[] {
    const object = slim(whole);
    const { namespace, name = '', uid, resourceVersion } = object.metadata;
    const path = pathOf(namespace, name);
    const previous = this.#objects.get(path);
    const same = previous?.metadata.uid === uid;
    if (previous !== undefined) {
      if (same && previous.metadata.resourceVersion === resourceVersion) return [];
      this.#unindex(path, previous);
    }
    this.#objects.set(path, object);
    const value = this.#indexOf(object);
    if (value !== undefined) {
      const found = this.#index.get(value);
      if (found === undefined) this.#index.set(value, new Map([[path, object]]));
      else found.set(path, object);
    }
    if (previous === undefined) return [{ namespace, name, object, previous }];
    if (same) return [{ namespace, name, object, previous }];
    return [
      { namespace, name, object: undefined, previous },
      { namespace, name, object, previous: undefined },
    ];
  }

  remove(namespace: string | undefined, name: string): readonly ObjectChange<T>[] {
    const path = pathOf(namespace, name);
    const previous = this.#objects.get(path);
    if (previous === undefined) return [];
    this.#objects.delete(path);
    this.#unindex(path, previous);
    return [{ namespace, name, object: undefined, previous }];
  }

  #unindex(path: string, object: T): void {
    const value = this.#indexOf(object);
    if (value === undefined) return;
    const found = this.#index.get(value);
    found?.delete(path);
    if (found?.size === 0) this.#index.delete(value);
  }
}

export const pathOf = (namespace: string | undefined, name: string): string =>
  `${namespace ?? ''}/${name}`;

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Removes managed fields and kubectl's last-applied annotation, which are often larger than the rest of an object. */
function slim<T extends KubeObject>(object: T): T {
  const { managedFields: _, annotations, ...metadata } = object.metadata;
  if (annotations === undefined) return { ...object, metadata };
  const { [lastApplied]: _applied, ...kept } = annotations;
  return { ...object, metadata: { ...metadata, annotations: kept } };
}
