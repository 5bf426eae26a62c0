/** Converts the gateway's failures to problems of ledger requests, and these to errors that a handler throws. */
import { ledgerProblem, type LedgerProblem } from '../model/ledger-problems.ts';
import { Refusal } from '../model/refusal.ts';
import type { GatewayFailure } from './failures.ts';

/** `undefined` when the caller has gone and nobody can be answered. */
export function problemOfFailure(failure: GatewayFailure): LedgerProblem | undefined {
  const { code, outcome, message: detail, eventsMax } = failure;
  if (code === 'abandoned') return undefined;
  return ledgerProblem(code, {
    detail,
    outcome,
    ...(code === 'ledger_unavailable' && { retryAfterSeconds: 1 }),
    ...(eventsMax !== undefined && { maxEventsPerBatch: eventsMax }),
  });
}

export function errorOf(problem: LedgerProblem | undefined): Error {
  // The client has gone: the router knows this and sends no answer.
  if (problem === undefined) return new Error('the client has gone');
  const { code, detail, errors, retryAfterSeconds, ...rest } = problem;
  return new Refusal(code, {
    detail,
    ...(errors && { errors }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    members: propertiesOf(rest),
  });
}

const known = ['outcome', 'offset', 'limitBytes', 'maxEventsPerBatch'] as const;

const propertiesOf = (problem: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(problem).filter(
      ([name, value]) => value !== undefined && known.some((one) => one === name),
    ),
  );
