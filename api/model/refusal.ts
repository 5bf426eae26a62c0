/** What a handler throws instead of answering: a problem of the catalogue, with what is true of this occasion. */
import type { ProblemCode } from './problems.ts';

export interface FieldError {
  /** JSON Pointer into the body, as a URI fragment. */
  readonly pointer?: string;
  /** Name of a parameter of path or query. */
  readonly parameter?: string;
  readonly header?: string;
  readonly code: string;
  readonly detail: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface Occasion {
  /** What is wrong this time, and what to do: one or two sentences. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  /** Further members of the problem, of those that its schema has. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
  /** Where this occasion differs from the problem's own `retryable`. */
  readonly retryable?: boolean;
  /** For the log alone. */
  readonly cause?: unknown;
}

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ProblemCode;
  readonly occasion: Occasion;

  constructor(code: ProblemCode, occasion: Occasion) {
    super(`${code}: ${occasion.detail}`, { cause: occasion.cause });
    this.code = code;
    this.occasion = occasion;
  }
}
