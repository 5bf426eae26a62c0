/** Input and output of a load generator. */

export interface Workload {
  readonly url: string;
  readonly path: string;
  readonly apiKey: string;
  readonly kind: 'transfers' | 'lookups' | 'reads';
  /** Events in a body. */
  readonly events: number;
  /** Number of connections, each with one request at a time. */
  readonly connections: number;
  /** Requests a second of all connections, evenly spaced; by default each sends as soon as it has its answer. */
  readonly perSecond?: number;
  /** Set if answers 429 are accepted and counted. */
  readonly isOverLimit?: true;
  /**
   * The phase before the measurement, in which the code is compiled for speed: so many requests, which take longer on a busy
   * machine, but at least and at most so many seconds.
   */
  readonly warmUp: {
    readonly requests: number;
    readonly secondsMin: number;
    readonly secondsMax: number;
  };
  readonly seconds: number;
  /** Number of bodies made beforehand; when they are used up, the measurement ends early. */
  readonly bodiesMax: number;
}

export interface Outcome {
  readonly seconds: number;
  /** Milliseconds of each request that began and ended while it was measured. */
  readonly times: readonly number[];
  /** Number of these requests that were answered with 429. */
  readonly refused: number;
}

/** Messages of the load generator, in this order; `failed` may come at any place. */
export type Told =
  | { readonly kind: 'measuring' }
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly why: string };
