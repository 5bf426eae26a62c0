/** What a body was found to hold. */
export interface Events {
  /** Accounts, transfers, ids or one filter as the wire lays them out, one after another. */
  readonly events: Uint8Array;
  /** Above `eventsMax`, the body holds too many, and has not been read to its end. */
  readonly count: number;
  readonly limit: number | undefined;
}

export const noEvents: Events = { events: new Uint8Array(0), count: 0, limit: undefined };
