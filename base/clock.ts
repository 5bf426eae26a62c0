/** Time from outside, so that tests may bring their own. */
export interface Clock {
  /** Nanoseconds since the UNIX epoch, as the machine's clock has it: it may jump either way. */
  realtimeNs(): bigint;
}

export const systemClock: Clock = {
  realtimeNs: () => BigInt(Date.now()) * 1_000_000n,
};
