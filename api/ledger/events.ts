/** Decoded contents of a body. */
export interface Events {
  /** Accounts, transfers, ids or one filter in wire format, one after another. */
  readonly events: Uint8Array;
  /** If it is above `eventsMax`, the body has too many events and was not read to its end. */
  readonly count: number;
  readonly limit: number | undefined;
}

export const noEvents: Events = { events: new Uint8Array(0), count: 0, limit: undefined };
