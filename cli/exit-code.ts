/** Exit statuses: a contract with scripts. They are the same whether the tool or the API found the error. */
export const ExitCode = {
  Ok: 0,
  /** The API failed, could not be reached, or sent an answer that is not from the API. */
  General: 1,
  /** The command line is wrong: an unknown command or flag, a missing requirement, no terminal for a question. */
  Usage: 2,
  /** An invalid value (400, 413, 415, 422). */
  Validation: 3,
  Authentication: 4,
  /** Permission (403) or billing (402). */
  Permission: 5,
  NotFound: 6,
  /** A conflict, or something not ready yet (409, 412). */
  Conflict: 7,
  RateLimited: 8,
  /** The ledger executed the request and rejected at least one of its events. */
  Rejected: 9,
  /** No answer in time: the request may or may not have been executed. */
  Unknown: 10,
  /** Interrupted by Ctrl-C or a signal; the status that shells report for SIGINT. */
  Interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'general: the API failed or could not be reached',
  2: 'usage: an unknown command or flag, a missing value, or no terminal for a question',
  3: 'validation: an invalid value (400, 413, 415, 422)',
  4: 'authentication (401), or no API key',
  5: 'permission (403) or billing (402)',
  6: 'not found (404, 410)',
  7: 'conflict or not ready (409, 412)',
  8: 'rate limited (429)',
  9: 'the ledger rejected at least one event (`--allow-failed` makes it 0)',
  10: 'timeout: no answer in time, the outcome is unknown',
  130: 'interrupted, for example by Ctrl-C',
};

/** Exit status for an unsuccessful answer of the API. */
export function exitCodeOfStatus(status: number): ExitCode {
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return ExitCode.Validation;
    case 401:
      return ExitCode.Authentication;
    case 402:
    case 403:
      return ExitCode.Permission;
    case 404:
    case 410:
      return ExitCode.NotFound;
    case 409:
    case 412:
      return ExitCode.Conflict;
    case 408:
    case 504:
      return ExitCode.Unknown;
    case 429:
      return ExitCode.RateLimited;
    default:
      return ExitCode.General;
  }
}
