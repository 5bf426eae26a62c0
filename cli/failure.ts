/** An unsuccessful end of a command: what went wrong, the exit status, and what to do next. */
import { ExitCode } from './exit-code.ts';
import { printable } from './output/printable.ts';

interface FailureFields {
  readonly exitCode: ExitCode;
  /** Stable value for programs; for problems, the API's own code. */
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly nextSteps?: readonly string[];
  /** Wait that the service asks for before the next attempt. */
  readonly retryAfterMs?: number;
  /** The API's problem document (RFC 9457), unchanged. */
  readonly problem?: Readonly<Record<string, unknown>>;
}

export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly fields: FailureFields;

  constructor(fields: FailureFields) {
    super(fields.detail);
    this.fields = fields;
  }

  /** Returns the same failure with further next steps. */
  withNextSteps(...steps: readonly string[]): CliFailure {
    return new CliFailure({
      ...this.fields,
      nextSteps: [...(this.fields.nextSteps ?? []), ...steps],
    });
  }

  /** Returns the same failure with the wait that the service asks for, if it asks for one. */
  withRetryAfter(ms: number | undefined): CliFailure {
    return ms === undefined ? this : new CliFailure({ ...this.fields, retryAfterMs: ms });
  }
}

/** A failure of the command line. */
export const usageFailure = (detail: string, ...nextSteps: readonly string[]): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Usage,
    code: 'usage',
    title: 'The command line is not valid',
    detail,
    nextSteps,
  });

/** A failure of a value that the API would refuse with 422, found before anything was sent. */
export const valueFailure = (detail: string, ...nextSteps: readonly string[]): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Validation,
    code: 'validation_failed',
    title: 'Request validation failed',
    detail,
    nextSteps,
  });

/**
 * The one JSON document that `--json` prints on failure. Its `outcome` is always "error"; a problem's own outcome of the
 * execution ("unknown", "not_executed") is kept as `ledgerOutcome`.
 */
export function failureDocument({ fields }: CliFailure): Record<string, unknown> {
  const { code, title, detail, problem, nextSteps = [] } = fields;
  const ledgerOutcome = problem?.['outcome'];
  return {
    ...problem,
    code,
    title,
    detail,
    outcome: 'error',
    ...(ledgerOutcome === undefined ? {} : { ledgerOutcome }),
    nextSteps,
  };
}

/** Text of a failure for people, on stderr. */
export function failureText({ fields }: CliFailure): string {
  const { code, detail, problem, nextSteps = [] } = fields;
  const requestId = problem?.['requestId'];
  return [
    // Only the stack of a bug has lines of its own; foreign text must not look like further lines.
    `error: ${code === 'bug' ? detail : printable(detail)}`,
    ...problemErrors(problem)
      .filter((line) => line.trim() !== detail)
      .map(printable),
    ...(problem === undefined
      ? []
      : [`  ${code}${typeof requestId === 'string' ? ` · request ${requestId}` : ''}`]),
    ...nextSteps.map((step) => `  → ${printable(step)}`),
  ].join('\n');
}

function problemErrors(problem: Readonly<Record<string, unknown>> | undefined): string[] {
  const errors = problem?.['errors'];
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error: unknown) => {
    if (typeof error !== 'object' || error === null) return [];
    const { pointer, parameter, header, file, detail } = error as Readonly<Record<string, unknown>>;
    // The name of a file on this machine says more than its place in a request.
    const where = [file, pointer, parameter, header].find((place) => typeof place === 'string');
    return typeof detail === 'string'
      ? [`  ${where ?? ''}: ${detail}`.replace(/^ {2}: /, '  ')]
      : [];
  });
}

/** Whether the same request may succeed later: the service restarts, or is not reached for a while. */
export const isPassing = ({ fields: { exitCode, code } }: CliFailure): boolean =>
  (exitCode === ExitCode.General ||
    exitCode === ExitCode.RateLimited ||
    exitCode === ExitCode.Unknown) &&
  code !== 'unexpected_answer' &&
  code !== 'certificate_not_trusted' &&
  code !== 'no_tls';
