/** Source of the time, which tests can replace. */
export interface Clock {
  /** Nanoseconds since the UNIX epoch by the machine's clock, which may jump either way. */
  realtimeNs(): bigint;
}

export const systemClock: Clock = {
  realtimeNs: () => BigInt(Date.now()) * 1_000_000n,
};
