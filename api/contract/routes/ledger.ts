/** The ledger route, each operation with its own shapes. */
import { access } from '../../model/access.ts';
import type { BodySpec, ResponseSpec, RouteSpec } from '../route.ts';
import {
  account,
  accountFilter,
  balance,
  createAccountsRequest,
  createdEvents,
  createTransfersRequest,
  envelopeExample,
  foundRows,
  lookupRequest,
  pagedRows,
  queryFilter,
  rowExamples,
  transfer,
} from '../schemas/ledger.ts';
import type { LedgerOperationName } from '../../ledger/operations.ts';
import type { z } from 'zod';

const codes = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
  'not_acceptable',
  'validation_failed',
  'invalid_integer',
  'invalid_filter',
  'batch_too_large',
  'database_not_ready',
  'billing_required',
  'gateway_bad_reply',
  'ledger_unavailable',
  'ledger_full',
  'ledger_timeout',
] as const;

const ledgerBody = (schema: z.ZodType, examples: Record<string, unknown>) =>
  ({ form: 'ledger', schema, examples }) as const satisfies BodySpec;

const bytes = (
  description: string,
  schema: z.ZodType,
  example: unknown,
  headers: readonly string[] = [],
) =>
  ({
    form: 'bytes',
    description,
    schema,
    example,
    headers: ['Server-Timing', ...headers],
  }) as const satisfies ResponseSpec;
const ofPages = ['Page-Has-More', 'Page-Next'];

const operation = <
  const Name extends LedgerOperationName,
  const Body extends BodySpec,
  const Answer extends ResponseSpec,
>(
  name: Name,
  kind: 'read' | 'write',
  summary: string,
  body: Body,
  ok: Answer,
) =>
  ({
    method: 'POST',
    path: `/api/v1/databases/{databaseId}/tb/${name}`,
    tag: 'Ledger',
    summary,
    access: kind === 'write' ? access.writeLedger : access.readDatabase,
    body,
    responses: { 200: ok },
    problems: codes,
    // `Prefer: wait=30`, plus time for the rest.
    timeoutMs: 40_000,
  }) as const satisfies RouteSpec;

const created = (name: string) => ({
  ...envelopeExample(name, 'write', 1),
  summary: { created: 1, exists: 0, failed: 0 },
  result: [{ index: 0, id: '1001', status: 'created', timestamp: '1745328372758695656' }],
});
const found = (name: string, row: unknown) => ({
  ...envelopeExample(name, 'read', 1),
  missing: [],
  result: [row],
});
const paged = (name: string, row: unknown) => ({
  ...envelopeExample(name, 'read', 1),
  page: { limit: 100, hasMore: false, next: null },
  result: [row],
});
const lookup = ledgerBody(lookupRequest, { list: ['1001', '1002'], object: { ids: ['1001'] } });
const filter = ledgerBody(accountFilter, {
  account: { account_id: '1001' },
  credits: { account_id: '1001', flags: ['credits', 'reversed'], limit: 10 },
});
const query = ledgerBody(queryFilter, { everything: {}, ledger: { ledger: 1, limit: 10 } });

export const ledgerRoutes = {
  createAccounts: operation(
    'create_accounts',
    'write',
    'Create accounts',
    ledgerBody(createAccountsRequest, {
      one: [{ id: '1001', ledger: '1', code: '1', flags: '0' }],
      named: [
        { id: '1002', ledger: 1, code: 1, flags: ['debits_must_not_exceed_credits', 'history'] },
      ],
    }),
    bytes(
      'The result of each event.',
      createdEvents('create_accounts', 'CreateAccountsAnswer'),
      created('create_accounts'),
    ),
  ),
  createTransfers: operation(
    'create_transfers',
    'write',
    'Create transfers',
    ledgerBody(createTransfersRequest, {
      one: [
        {
          id: '5001',
          debit_account_id: '1001',
          credit_account_id: '1002',
          amount: '10',
          ledger: 1,
          code: 1,
        },
      ],
      post: [{ id: '5003', pending_id: '5002', amount: 'max', flags: 'post_pending_transfer' }],
    }),
    bytes(
      'The result of each event.',
      createdEvents('create_transfers', 'CreateTransfersAnswer'),
      created('create_transfers'),
    ),
  ),
  lookupAccounts: operation(
    'lookup_accounts',
    'read',
    'Look accounts up by ID',
    lookup,
    bytes(
      'The existing ones.',
      foundRows('lookup_accounts', 'LookupAccountsAnswer', account),
      found('lookup_accounts', rowExamples.account),
    ),
  ),
  lookupTransfers: operation(
    'lookup_transfers',
    'read',
    'Look transfers up by ID',
    lookup,
    bytes(
      'The existing ones.',
      foundRows('lookup_transfers', 'LookupTransfersAnswer', transfer),
      found('lookup_transfers', rowExamples.transfer),
    ),
  ),
  getAccountTransfers: operation(
    'get_account_transfers',
    'read',
    'List the transfers of one account',
    filter,
    bytes(
      'A page of transfers.',
      pagedRows('get_account_transfers', 'GetAccountTransfersAnswer', transfer, accountFilter),
      paged('get_account_transfers', rowExamples.transfer),
      ofPages,
    ),
  ),
  getAccountBalances: operation(
    'get_account_balances',
    'read',
    'List the balances of one account over time',
    filter,
    bytes(
      'A page of balances; of accounts with the flag history only.',
      pagedRows('get_account_balances', 'GetAccountBalancesAnswer', balance, accountFilter),
      paged('get_account_balances', rowExamples.balance),
      ofPages,
    ),
  ),
  queryAccounts: operation(
    'query_accounts',
    'read',
    'Query accounts',
    query,
    bytes(
      'A page of accounts.',
      pagedRows('query_accounts', 'QueryAccountsAnswer', account, queryFilter),
      paged('query_accounts', rowExamples.account),
      ofPages,
    ),
  ),
  queryTransfers: operation(
    'query_transfers',
    'read',
    'Query transfers',
    query,
    bytes(
      'A page of transfers.',
      pagedRows('query_transfers', 'QueryTransfersAnswer', transfer, queryFilter),
      paged('query_transfers', rowExamples.transfer),
      ofPages,
    ),
  ),
} as const satisfies Record<string, RouteSpec>;
