/** Refusal: a handler throws it to answer with a problem of the catalogue and the facts of this occurrence. */
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
  /** One or two sentences about this occurrence: the fault, and what to do. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  /** Further properties of the problem; its schema must have them. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
  /** Overrides the problem's own `retryable`. */
  readonly retryable?: boolean;
  /** Cause, for the log only. */
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
