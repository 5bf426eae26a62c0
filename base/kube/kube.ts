/** Calls to the Kubernetes API: few verbs, each with a deadline, and no blind overwrites. */
import type { V1ObjectMeta } from '@kubernetes/client-node';

/** Any object of the API, as JSON. The types of kinds come from `@kubernetes/client-node` and `gen/crds.ts`. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Metadata whose times are strings as sent by the API server: nothing parses them implicitly. */
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
  /** Maximum number of pages, of 500 objects each, that are read. Default: all. */
  readonly pagesMax?: number | undefined;
}

export interface DeleteOptions {
  /** Deletes only the object with this uid, not a later one of the same name. */
  readonly uid: string;
  /** Deletes the object only if it still has this version. */
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  /** Takes over fields that another manager owns. */
  readonly force?: boolean | undefined;
  readonly subresource?: 'status' | undefined;
}

export interface Kube {
  /** Reads from the API server itself, never from a cache. Returns `undefined` when there is none. */
  read<T extends KubeObject>(reference: Reference): Promise<T | undefined>;
  /** Lists from the API server itself, page by page. */
  list<T extends KubeObject>(resource: Resource, options?: ListOptions): Promise<readonly T[]>;
  /** Creates an object. Throws `ApiError` with reason `AlreadyExists` when there is one of that name. */
  create<T extends KubeObject>(
    resource: Resource,
    object: T,
    options: { readonly fieldManager: string },
  ): Promise<T>;
  /** Server-side apply. */
  apply<T extends KubeObject>(resource: Resource, object: T, options: ApplyOptions): Promise<T>;
  /** RFC 7396 merge patch. With `metadata.resourceVersion` in the patch it is refused (409) if the object has changed. */
  mergePatch<T extends KubeObject>(
    reference: Reference,
    patch: object,
    options: { readonly fieldManager: string; readonly subresource?: 'status' | undefined },
  ): Promise<T>;
  /** Deletes an object; succeeds if it is already gone. Throws `ApiError` (409) when a precondition does not hold. */
  delete(reference: Reference, options: DeleteOptions): Promise<void>;
  /**
   * Time by the API server's clock, in milliseconds since the UNIX epoch: its last answer's Date header (whole seconds) plus
   * the time since then. `undefined` before the first answer.
   */
  serverTimeMs(): number | undefined;
}

/** An unsuccessful answer of the API server, or none at all (`status` 0: refused, reset, deadline). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The `reason` of the Status object (`Conflict`, `AlreadyExists`, `Invalid`, …), or `Unreachable`, `Timeout`. */
  readonly reason: string;
  /** Wait that the header Retry-After asks for. */
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
  /** Whether the first list has been loaded: until then an object's absence means nothing. */
  readonly synced: boolean;
  get(namespace: string | undefined, name: string): T | undefined;
  list(): readonly T[];
  /** Objects whose label (chosen when the cache was made) has this value. */
  byIndex(value: string): readonly T[];
}
