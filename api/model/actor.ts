/** The person, key or program that does something. */
export interface Actor {
  /** `kubernetes`: a client that wrote to the resource in the cluster, not through the API. */
  readonly type: 'user' | 'api_key' | 'system' | 'kubernetes';
  /** TypeID; null: the local administrator, the service itself, or a client in the cluster. */
  readonly id: string | null;
  /** Text for people: a name, the visible part of a key, or the field manager of a write in the cluster. */
  readonly display: string;
}

export const localAdministrator: Actor = {
  type: 'user',
  id: null,
  display: 'local administrator',
};

/** The actor that requests a change, and the ID of the request. */
export interface Author {
  readonly actor: Actor;
  readonly requestId: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** The service itself as an author. `part`: the acting part, such as `worker` or `watch`. */
export const systemAuthor = (part: string, requestId: string | null = null): Author => ({
  actor: { type: 'system', id: null, display: part },
  requestId,
  ip: null,
  userAgent: null,
});

/** Author of a write to a resource in the cluster. `manager`: the field manager of that write, such as `kubectl-edit`. */
export const kubernetesAuthor = (manager: string): Author => ({
  actor: { type: 'kubernetes', id: null, display: manager },
  requestId: null,
  ip: null,
  userAgent: null,
});
