/**
 * Upper ends of the buckets of a request's duration, in seconds. Engines count with them, and the kept figures use the same.
 */
export const latencyBounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
] as const;
