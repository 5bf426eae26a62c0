/** Who does something. */
export interface Actor {
  readonly type: 'user' | 'api_key' | 'system';
  /** TypeID; null: the local administrator, or the service itself. */
  readonly id: string | null;
  /** For people: a name, the visible part of a key. */
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
