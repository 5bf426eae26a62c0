import type { ledgerRoutes } from '../contract/routes/ledger.ts';
import type { Author } from '../model/actor.ts';
import type { HandlersOf, RequestTo } from '../http/handler.ts';
import { ledgerOperations, type LedgerOperationName } from '../ledger/operations.ts';
import type { Page } from '../ledger/page.ts';
import type { Gateway } from './gateway.ts';
import { systemTimers } from '../../base/timers.ts';
import { runOperation, type LedgerAnswer } from './run-operation.ts';
import { errorOf } from './problems.ts';
import { requireTarget, type LedgerPlaces } from './targets.ts';

interface LedgerServices extends LedgerPlaces {
  readonly gateway: Gateway;
  /** Records a person's write; awaited before any part of it is sent. */
  readonly personWrites: (author: Author, write: PersonsWrite) => Promise<void>;
  /** Called after each lookup of accounts that was answered. */
  readonly lookedUp: (lookup: AnsweredLookup) => void;
  /** Called after each operation that was answered, or refused with a problem. */
  readonly finished: (operation: FinishedOperation) => void;
}

export interface FinishedOperation {
  readonly databaseId: string;
  readonly operation: LedgerOperationName;
  /** Code of the problem; null: it was answered. */
  readonly code: string | null;
  /** Number of accounts or transfers that it creates; 0 for a read. */
  readonly events: number;
  readonly durationMs: number;
  /** Time in the engine; null: it did not answer. */
  readonly ledgerMs: number | null;
  readonly requestId: string;
  readonly credentialId: string;
}

/** Accounts or transfers that a person sends to a ledger. */
export interface PersonsWrite {
  readonly organizationId: string;
  readonly databaseId: string;
  readonly databaseName: string;
  readonly operation: LedgerOperationName;
  readonly events: number;
  /** The request's body, as it was sent. */
  readonly body: Uint8Array;
}

export interface AnsweredLookup {
  readonly databaseId: string;
  /** The request's body, as it was sent. */
  readonly body: Uint8Array;
  readonly ip: string;
  readonly userAgent: string | null;
  readonly ms: number;
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
  { gateway, lookedUp, personWrites, finished, ...places }: LedgerServices,
  name: LedgerOperationName,
  {
    params,
    principal,
    author,
    body,
    requestId,
    signal,
    waitMs,
    format,
    takeEvents,
    holdAnswer,
    ip,
    userAgent,
  }: AnyRequest,
) {
  const target = await requireTarget(places, principal.organization.id, params.databaseId);
  const begunMs = systemTimers.nowMs();
  const operation = ledgerOperations[name];
  const isWrite = operation.kind === 'write';
  let created = 0;
  const { organization } = principal;
  const takeAndRecord = async (events: number) => {
    if (isWrite) created = events;
    await takeEvents(events);
    if (principal.type === 'api_key' || !isWrite) return;
    const { databaseId, name: databaseName } = target;
    const organizationId = organization.id;
    const write = { organizationId, databaseId, databaseName, operation: name, events, body };
    await personWrites(author, write);
  };
  const result = await runOperation(gateway, operation, body, {
    target,
    owner: principal.organization.id,
    takeEvents: takeAndRecord,
    holdAnswer,
    requestId,
    engine: target.engine,
    engineVersion: target.engineVersion,
    streams: target.streams,
    format,
    signal,
    ...(waitMs !== undefined && { timeoutMs: waitMs }),
  });
  const done = {
    databaseId: params.databaseId,
    operation: name,
    events: created,
    durationMs: systemTimers.nowMs() - begunMs,
    requestId,
    credentialId: principal.credentialId,
  };
  if (!result.ok) {
    const code = result.problem?.code;
    if (code !== undefined) finished({ ...done, code, ledgerMs: null });
    throw errorOf(result.problem);
  }
  finished({ ...done, code: null, ledgerMs: result.ledgerMs });
  if (name === 'lookup_accounts') {
    const { databaseId } = params;
    lookedUp({ databaseId, body, ip, userAgent, ms: result.ledgerMs + result.gatewayMs });
  }
  return replyOf(result, format);
}

const replyOf = (answer: LedgerAnswer, format: 'json' | 'csv') => ({
  status: 200 as const,
  bytes: answer.body,
  contentType: answer.contentType,
  headers: {
    'Server-Timing': `ledger;dur=${answer.ledgerMs}, gateway;dur=${answer.gatewayMs}`,
    ...(format === 'csv' && pageHeaders(answer.page)),
  },
});

/** The page in headers: CSV has no place for it, and omitted rows must not go unnoticed. */
const pageHeaders = (page: Page | undefined): Readonly<Record<string, string>> =>
  page === undefined
    ? {}
    : {
        'Page-Has-More': String(page.hasMore),
        ...(page.next !== null && { 'Page-Next': JSON.stringify(page.next) }),
      };
