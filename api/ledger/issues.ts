import { ledgerProblem, type LedgerProblem, type ProblemError } from '../model/ledger-problems.ts';

/** Errors told of one request; one that has more has most likely the same one everywhere. */
const issuesMax = 20;

/** With so many, what follows is not looked at: a body of nothing but errors must not cost more than a good one. */
const issuesEnough = 1_000;

/** Nothing more need be read. Thrown within the codec only. */
export class EnoughIssues extends Error {
  override readonly name = 'EnoughIssues';
}

/** Codes that are a problem of their own when they are all that is wrong. */
const ownProblems = ['invalid_integer', 'invalid_filter'] as const;

/** What is wrong with the values of a request, collected so that a caller can mend everything at once. */
export class Issues {
  readonly #told: ProblemError[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** `path`: property names and indexes from the body's top; [] is the body itself. */
  add(
    path: readonly (string | number)[],
    code: string,
    detail: string,
    meta?: ProblemError['meta'],
  ): void {
    this.#count += 1;
    if (this.#count >= issuesEnough) throw new EnoughIssues('the body has too many errors');
    if (this.#told.length >= issuesMax) return;
    this.#told.push({ pointer: pointer(path), code, detail, ...(meta && { meta }) });
  }

  problem(): LedgerProblem | undefined {
    const [first] = this.#told;
    if (first === undefined) return undefined;
    const common = ownProblems.find((code) => this.#told.every((error) => error.code === code));
    const more = this.#count - 1;
    const atLeast = this.#count >= issuesEnough ? 'at least ' : '';
    const others = more === 0 ? '' : ` (and ${atLeast}${more} more)`;
    return ledgerProblem(common ?? 'validation_failed', {
      detail: `${first.pointer}: ${first.detail}${others}`,
      errors: this.#told,
    });
  }
}

/** RFC 6901, section 6: as a URI fragment. */
function pointer(path: readonly (string | number)[]): string {
  const parts = path.map((part) => {
    const text = String(part).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
    return `/${encodeURIComponent(text)}`;
  });
  return `#${parts.join('')}`;
}
