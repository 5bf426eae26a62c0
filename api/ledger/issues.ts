import { ledgerProblem, type LedgerProblem, type ProblemError } from '../model/ledger-problems.ts';

/** Errors listed for one request, at most; if there are more, most of them are likely the same. */
const issuesMax = 20;

/** Decoding stops after this many errors: a body full of errors must not cost more than a valid one. */
const issuesEnough = 1_000;

/** There are enough errors, so decoding stops. Thrown within the codec only. */
export class EnoughIssues extends Error {
  override readonly name = 'EnoughIssues';
}

/** Codes that become the problem's code if all errors have the same one. */
const ownProblems = ['invalid_integer', 'invalid_filter'] as const;

/** Collects the errors of a request's values, so that the caller can fix all of them at once. */
export class Issues {
  readonly #told: ProblemError[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** `path`: property names and indexes from the top of the body; [] is the body itself. */
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

/** JSON pointer as a URI fragment (RFC 6901, section 6). */
function pointer(path: readonly (string | number)[]): string {
  const parts = path.map((part) => {
    const text = String(part).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
    return `/${encodeURIComponent(text)}`;
  });
  return `#${parts.join('')}`;
}
