/** An answer that is a problem document (RFC 9457), or no answer at all. */
import type { Problem } from '../../../gen/api.ts';

export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  /** Seconds that the answer's Retry-After asks to wait. */
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem, retryAfterSeconds?: number) {
    super(problem.detail);
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The request got no answer: the connection is lost, or the service is away. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(cause: unknown) {
    super('The service did not answer. Check the connection, and try again.', { cause });
  }
}

/** Whether the same request may succeed later: nobody answered, or the service could not. */
export const isPassing = (error: unknown): boolean =>
  error instanceof NoAnswer || (error instanceof ProblemError && error.problem.status >= 500);

export const isProblem = (error: unknown, ...codes: readonly string[]): error is ProblemError =>
  error instanceof ProblemError && codes.includes(error.problem.code);

/** An answer with a good status that is no answer of the service. */
export const foreignAnswer = (response: Response): ProblemError =>
  new ProblemError({
    type: 'about:blank',
    title: 'Another answer than the service’s',
    status: response.status,
    detail:
      'Something between this browser and the service answered in its place, such as a proxy or the sign-in page of a network. Reload the page.',
    instance: pathOf(response),
    code: 'unknown',
    requestId: response.headers.get('x-request-id') ?? '',
    retryable: true,
  });

const pathOf = ({ url }: Response): string => new URL(url, 'http://localhost').pathname;

/** Reads the body of an unsuccessful answer, which may come from a proxy in its own words. */
export function problemErrorOf(body: unknown, response: Response): ProblemError {
  const retryAfter = response.headers.get('retry-after');
  const seconds = retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? retryAfter : undefined;
  const wait = seconds === undefined ? undefined : Number.parseInt(seconds, 10);
  if (isProblemBody(body)) return new ProblemError(body, wait);
  return new ProblemError(
    {
      type: 'about:blank',
      title: `Status ${response.status}`,
      status: response.status,
      detail: `The service answered with status ${response.status}, without saying why.${response.status >= 500 ? ' Try again in a minute; if it stays so, tell its operators.' : ''}`,
      instance: pathOf(response),
      code: 'unknown',
      requestId: response.headers.get('x-request-id') ?? '',
      retryable: response.status >= 500,
    },
    wait,
  );
}

const isProblemBody = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'code' in body && 'detail' in body;

/** The error, unless it only concerns fields of which the form shows the messages; then `null`. */
export function besideFields(
  error: unknown,
  shown: readonly string[],
  errors = fieldErrors(error),
): unknown {
  const fields = Object.keys(errors);
  return fields.length > 0 && fields.every((field) => shown.includes(field)) ? null : error;
}

/** Finds the message for a field by its name in the body, such as `name` or `databaseScope`. */
export const fieldErrors = (error: unknown): Readonly<Record<string, string>> =>
  error instanceof ProblemError
    ? Object.fromEntries(
        (error.problem.errors ?? []).flatMap(({ pointer, parameter, detail }) => {
          const name = pointer?.replace(/^#?\/?/, '').split('/')[0] ?? parameter;
          return name === undefined || name === '' ? [] : [[name, detail]];
        }),
      )
    : {};
