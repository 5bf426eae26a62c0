/** Turns an unsuccessful answer into a failure that tells what to do next. */
import { CliFailure } from '../failure.ts';
import { ExitCode, exitCodeOfStatus } from '../exit-code.ts';
import { printable } from '../output/printable.ts';
import type { Answer } from './answer.ts';
import { parseExact } from './exact-json.ts';

type Problem = Readonly<Record<string, unknown>>;

export function failureOf(answer: Answer): CliFailure {
  const { status } = answer;
  if (status >= 300 && status < 400) return redirected(answer);
  const problem = problemOf(answer);
  const text = (name: string) => {
    const value = problem[name];
    return typeof value === 'string' ? value : undefined;
  };
  const code = text('code') ?? `http_${status}`;
  const title = text('title') ?? `HTTP ${status}`;
  const isUnknown = problem['outcome'] === 'unknown';
  return new CliFailure({
    exitCode: isUnknown ? ExitCode.Unknown : exitCodeOfStatus(status),
    code,
    title,
    detail: text('detail') ?? title,
    nextSteps: nextSteps(status, code, problem, answer),
    problem: { ...problem, status },
  });
}

/** Proxies and load balancers between client and API answer without a problem document. */
function problemOf(answer: Answer): Problem {
  try {
    const value = parseExact(answer.text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Problem;
    }
  } catch {
    // Handled below.
  }
  return { detail: `the service answered ${answer.status} without a problem document` };
}

function redirected(answer: Answer): CliFailure {
  const location = printable(answer.headers.get('location') ?? 'nowhere');
  return new CliFailure({
    exitCode: ExitCode.General,
    code: 'redirected',
    title: 'The service redirects to another address',
    detail: `the service answered ${answer.status} and redirects to ${location}; redirects are not followed`,
    // Redirects are not followed: the API key would be sent there too.
    nextSteps: ['if that address is the service, give it as --base-url'],
  });
}

function nextSteps(status: number, code: string, problem: Problem, answer: Answer): string[] {
  const list = (name: string) => {
    const value = problem[name];
    return Array.isArray(value) ? value.map(String).join(', ') : undefined;
  };
  const retryAfter = answer.headers.get('retry-after');
  switch (status) {
    case 401:
      return ['set LEDGERHOUSE_API_KEY, or store a key: ledgerhouse config set api-key'];
    case 402: {
      const billing = problem['billing'] as
        | { readonly checkoutUrl?: unknown; readonly reason?: unknown }
        | undefined;
      const url = billing?.checkoutUrl;
      if (typeof url === 'string') {
        return [`set up billing at ${printable(url)}, then run the command again`];
      }
      return billing?.reason === 'SPEND_LIMIT_REACHED'
        ? ['raise the spend limit: ledgerhouse billing update --spend-limit AMOUNT']
        : [];
    }
    case 403: {
      const permissions = list('requiredPermissions');
      if (permissions !== undefined) return [`use a key that has ${printable(permissions)}`];
      const step = list('requiredRoles') === undefined ? forbiddenSteps[code] : ownRole;
      return step === undefined ? [] : [step];
    }
    case 404:
      return code === 'database_not_found' ? ['find its ID: ledgerhouse databases list'] : [];
    case 409:
      return conflictSteps(code, problem);
    case 429:
      return retryAfter === null ? [] : [`try again in ${printable(retryAfter)} s`];
    default:
      break;
  }
  if (problem['outcome'] === 'not_executed') return ['nothing was executed; run it again later'];
  return [];
}

const ownRole = 'see your role: ledgerhouse whoami';

const forbiddenSteps: Readonly<Record<string, string>> = {
  session_required: 'sign in, and give no API key: ledgerhouse login',
  organization_required: 'accept an invitation: ledgerhouse invitations accept',
};

function conflictSteps(code: string, problem: Problem): string[] {
  const job = problem['blockingJobId'];
  if (typeof job === 'string') return [`ledgerhouse jobs watch ${printable(job)}`];
  if (code === 'database_not_ready') return ['see its status: ledgerhouse databases get ID'];
  if (code === 'database_name_taken') return ['choose another name'];
  return [];
}
