import type { ledgerRoutes } from '../contract/routes/ledger.ts';
import type { HandlersOf, RequestTo } from '../http/handler.ts';
import { Refusal } from '../model/refusal.ts';
import { ledgerOperations, type LedgerOperationName } from '../ledger/operations.ts';
import type { Page } from '../ledger/page.ts';
import type { LedgerProblem } from '../model/ledger-problems.ts';
import type { Gateway } from './gateway.ts';
import { runOperation } from './run-operation.ts';
import type { LedgerTargets } from './targets.ts';

export interface LedgerServices {
  readonly gateway: Gateway;
  readonly targets: LedgerTargets;
  /** Reason why a database is suspended, if no person did it. */
  readonly whySuspended: (databaseId: string) => Promise<Refusal | undefined>;
}

type AnyRequest = RequestTo<keyof typeof ledgerRoutes>;

export function ledgerHandlers(services: LedgerServices): HandlersOf<typeof ledgerRoutes> {
  const run = (name: LedgerOperationName) => (request: AnyRequest) =>
    answer(services, name, request);
  return {
    createAccounts: run('create_accounts'),
    createTransfers: run('create_transfers'),
    lookupAccounts: run('lookup_accounts'),
    lookupTransfers: run('lookup_transfers'),
    getAccountTransfers: run('get_account_transfers'),
    getAccountBalances: run('get_account_balances'),
    queryAccounts: run('query_accounts'),
    queryTransfers: run('query_transfers'),
  };
}

async function answer(
  { gateway, targets, whySuspended }: LedgerServices,
  name: LedgerOperationName,
  { params, principal, body, requestId, signal, waitMs, format }: AnyRequest,
) {
  const target = await targets.resolve(principal.organization.id, params.databaseId);
  if (target instanceof Refusal) {
    const isSuspended = target.occasion.members?.['databaseStatus'] === 'SUSPENDED';
    const why = isSuspended ? await whySuspended(params.databaseId) : undefined;
    throw why ?? target;
  }
  const result = await runOperation(gateway, ledgerOperations[name], body, {
    target,
    requestId,
    engineVersion: target.engineVersion,
    format,
    signal,
    ...(waitMs !== undefined && { timeoutMs: waitMs }),
  });
  if (!result.ok) throw problemOf(result.problem);
  return {
    status: 200 as const,
    bytes: result.body,
    contentType: result.contentType,
    headers: {
      'Server-Timing': `ledger;dur=${result.ledgerMs}, gateway;dur=${result.gatewayMs}`,
      ...(format === 'csv' && pageHeaders(result.page)),
    },
  };
}

/** The page in headers: CSV has no place for it, and omitted rows must not go unnoticed. */
const pageHeaders = (page: Page | undefined): Readonly<Record<string, string>> =>
  page === undefined
    ? {}
    : {
        'Page-Has-More': String(page.hasMore),
        ...(page.next !== null && { 'Page-Next': JSON.stringify(page.next) }),
      };

function problemOf(problem: LedgerProblem | undefined): Error {
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
