/** Calls to the Kubernetes API: few verbs, each with a deadline, none that overwrites blindly. */
import type { V1ObjectMeta } from '@kubernetes/client-node';

/** Any object of the API, as JSON. Kinds' types come from `@kubernetes/client-node` and `gen/crds.ts`. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Times stay the strings that the API sent: nothing here parses them behind one's back. */
export type ObjectMeta = Omit<V1ObjectMeta, 'creationTimestamp' | 'deletionTimestamp'> & {
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
};

export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  /** Lower-case plural, as in the path. */
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface Reference {
  readonly resource: Resource;
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface ListOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** No more than so many pages of 500 are read. Default: all. */
  readonly pagesMax?: number | undefined;
}

export interface DeleteOptions {
  /** Deletes this very object, not one of the same name that came after it. */
  readonly uid: string;
  /** Deletes it only as it was seen. */
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  /** Takes over fields that another manager holds. */
  readonly force?: boolean | undefined;
  readonly subresource?: 'status' | undefined;
}

export interface Kube {
  /** From the API server itself, never from a cache. `undefined` when there is none. */
  read<T extends KubeObject>(reference: Reference): Promise<T | undefined>;
  /** From the API server itself, page by page. */
  list<T extends KubeObject>(resource: Resource, options?: ListOptions): Promise<readonly T[]>;
  /** `ApiError` with reason `AlreadyExists` when there is one of that name. */
  create<T extends KubeObject>(
    resource: Resource,
    object: T,
    options: { readonly fieldManager: string },
  ): Promise<T>;
  /** Server-side apply. */
  apply<T extends KubeObject>(resource: Resource, object: T, options: ApplyOptions): Promise<T>;
  /** RFC 7396 merge patch; with `metadata.resourceVersion` in the patch it is refused (409) when the object has moved. */
  mergePatch<T extends KubeObject>(
    reference: Reference,
    patch: object,
    options: { readonly fieldManager: string; readonly subresource?: 'status' | undefined },
  ): Promise<T>;
  /** An object that is gone already is deleted. `ApiError` (409) when a precondition does not hold. */
  delete(reference: Reference, options: DeleteOptions): Promise<void>;
  /**
   * The time by the API server's clock, in milliseconds since the UNIX epoch: what its last answer said (header Date, whole
   * seconds) and what has passed since. `undefined` before the first answer.
   */
  serverTimeMs(): number | undefined;
}

/** An answer of the API server that is not a success, or none at all (`status` 0: refused, reset, deadline). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The `reason` of the Status object (`Conflict`, `AlreadyExists`, `Invalid`, …), or `Unreachable`, `Timeout`. */
  readonly reason: string;
  /** From the header Retry-After. */
  readonly retryAfterMs: number | undefined;
  /** `details.causes` of the Status object. */
  readonly causes: readonly { readonly reason?: string; readonly message?: string }[];

  constructor(
    message: string,
    facts: {
      status: number;
      reason: string;
      retryAfterMs?: number | undefined;
      causes?: readonly { readonly reason?: string; readonly message?: string }[] | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.status = facts.status;
    this.reason = facts.reason;
    this.retryAfterMs = facts.retryAfterMs;
    this.causes = facts.causes ?? [];
  }
}

/** A local copy of one kind's objects, kept by a watch (reflector.ts). */
export interface Cache<T extends KubeObject> {
  /** Whether the first list has been taken in: until then nothing follows from an object's absence. */
  readonly synced: boolean;
  get(namespace: string | undefined, name: string): T | undefined;
  list(): readonly T[];
  /** Objects whose label (chosen when the cache was made) has this value. */
  byIndex(value: string): readonly T[];
}
