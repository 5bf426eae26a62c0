/** Input and output of a load generator. */

export interface Workload {
  readonly url: string;
  readonly path: string;
  readonly apiKey: string;
  readonly kind: 'transfers' | 'lookups' | 'reads';
  /** Events in a body. */
  readonly events: number;
  /** Each with one request at a time. */
  readonly connections: number;
  /** Of all connections, at even distances; without it, each sends as soon as it has its answer. */
  readonly perSecond?: number;
  /** Answers 429 are taken, and counted. */
  readonly isOverLimit?: true;
  /**
   * Not measured, until the code is compiled for speed: so many requests, which take a busy machine longer, but at least and at
   * most so many seconds.
   */
  readonly warmUp: {
    readonly requests: number;
    readonly secondsMin: number;
    readonly secondsMax: number;
  };
  readonly seconds: number;
  /** Bodies made beforehand; when they are used up, it ends early. */
  readonly bodiesMax: number;
}

export interface Outcome {
  readonly seconds: number;
  /** Milliseconds of each request that began and ended while it was measured. */
  readonly times: readonly number[];
  /** Answered with 429, among them. */
  readonly refused: number;
}

/** From the load generator, in this order; `failed` in any place. */
export type Told =
  | { readonly kind: 'measuring' }
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly why: string };
