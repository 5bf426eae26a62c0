/** Who does something. */
export interface Actor {
  /** `kubernetes`: whoever wrote to the resource in the cluster, beside the API. */
  readonly type: 'user' | 'api_key' | 'system' | 'kubernetes';
  /** TypeID; null: the local administrator, the service itself, or somebody in the cluster. */
  readonly id: string | null;
  /** For people: a name, the visible part of a key, the field manager of a write in the cluster. */
  readonly display: string;
}

/** Who asks for a change, and how the question came. */
export interface Author {
  readonly actor: Actor;
  readonly requestId: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** The service itself, in one of its parts: `worker`, `watch`. */
export const systemAuthor = (part: string, requestId: string | null = null): Author => ({
  actor: { type: 'system', id: null, display: part },
  requestId,
  ip: null,
  userAgent: null,
});

/** Whoever wrote to a resource in the cluster. `manager`: the field manager of that write, such as `kubectl-edit`. */
export const kubernetesAuthor = (manager: string): Author => ({
  actor: { type: 'kubernetes', id: null, display: manager },
  requestId: null,
  ip: null,
  userAgent: null,
});
