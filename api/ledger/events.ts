/** What a body was found to hold. */
export interface Events {
  /** Accounts, transfers, ids or one filter as the wire lays them out, one after another. */
  readonly events: Uint8Array;
  /** What the body holds, which may be more than `events` does. */
  readonly count: number;
  readonly limit?: number;
}
