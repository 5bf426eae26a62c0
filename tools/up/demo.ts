/** Creates the database `demo` over HTTP with a living example, and makes the first steps with a ledger with the CLI. */
import { join } from 'node:path';
import { checkout } from '../cluster/config.ts';
import { run } from '../cluster/run.ts';
import type { Credentials } from './credentials.ts';
import { exampleLabels, exampleOf } from './example.ts';
import { call } from './http.ts';
import type { Log, Progress } from './steps.ts';

const name = 'demo';
const readyMaxMs = 5 * 60_000;

export interface Demo {
  readonly databaseId: string;
  /** Last output of the CLI. */
  readonly shown: string;
}

interface Database {
  readonly id: string;
  readonly status: string;
  readonly activeJobId: string | null;
  readonly statusReason: { readonly message: string } | null;
}

export async function makeDemo(
  credentials: Credentials,
  { log, progress }: { readonly log: Log; readonly progress: Progress },
): Promise<Demo> {
  const { baseUrl, apiKey } = credentials;
  const headers = { 'x-api-key': apiKey };
  const find = async () => {
    const path = `/api/v1/databases?name=${name}`;
    const { data } = await call<{ data: Database[] }>(baseUrl, { path, headers });
    return data[0];
  };
  let database = await find();
  if (database === undefined) {
    const body = { name, clusterSize: 'lh-5', selectedStorageGb: 1, labels: exampleLabels };
    const path = '/api/v1/databases';
    ({ database } = await call<{ database: Database }>(baseUrl, {
      method: 'POST',
      path,
      headers,
      body,
    }));
  }
  await untilReady(credentials, database.id, progress);
  await makeExample(credentials, database.id);
  const cli = (...args: readonly string[]) => ledgerhouse(credentials, log, args);
  const kind = ['--ledger', '1', '--code', '1'];
  for (const id of ['1', '2']) await cli('tb', 'create-accounts', database.id, '--id', id, ...kind);
  // The same id each time, so that a second `make up` finds the transfer done.
  const sent = ['--id', '1', '--from', '1', '--to', '2', '--amount', '10', ...kind];
  await cli('tb', 'create-transfers', database.id, ...sent);
  const shown = await cli('tb', 'lookup-accounts', database.id, '--ids', '1,2', '--quiet');
  return { databaseId: database.id, shown };
}

/** Makes the example in a ledger without transfers. Its records have times of the past, which must come before all others. */
async function makeExample({ baseUrl, apiKey }: Credentials, id: string): Promise<void> {
  const headers = { 'x-api-key': apiKey };
  const ledger = <T>(operation: string, body: object) => {
    const path = `/api/v1/databases/${id}/tb/${operation}`;
    return call<T>(baseUrl, { method: 'POST', path, headers, body, timeoutMs: 45_000 });
  };
  const found = await ledger<{ result: unknown[] }>('query_transfers', { limit: 1 });
  if (found.result.length > 0) return;
  const { accounts, transfers } = exampleOf(new Date());
  for (const [operation, events] of [
    ['create_accounts', accounts],
    ['create_transfers', transfers],
  ] as const) {
    const { summary } = await ledger<{ summary: { failed: number } }>(operation, events);
    if (summary.failed > 0)
      throw new Error(`${operation} of the example: ${summary.failed} failed`);
  }
}

async function untilReady(
  { baseUrl, apiKey }: Credentials,
  id: string,
  progress: Progress,
): Promise<void> {
  const headers = { 'x-api-key': apiKey };
  const deadline = Date.now() + readyMaxMs;
  for (;;) {
    const path = `/api/v1/databases/${id}`;
    const { database } = await call<{ database: Database }>(baseUrl, { path, headers });
    if (database.status === 'READY') {
      if (await answers(baseUrl, { id, headers })) return;
      progress('The ledger does not answer yet.');
    }
    const why = database.statusReason?.message ?? '';
    if (database.status === 'FAILED') throw new Error(`the database demo failed: ${why}`);
    if (Date.now() > deadline) {
      throw new Error(
        `the database demo is ${database.status} after ${readyMaxMs / 60_000} minutes. ${why}`,
      );
    }
    if (database.activeJobId === null) await new Promise((resolve) => setTimeout(resolve, 1_000));
    else {
      const wait = `/api/v1/jobs/${database.activeJobId}?waitSeconds=2`;
      const { job } = await call<{ job: { progress: { message: string } } }>(baseUrl, {
        path: wait,
        headers,
      });
      progress(job.progress.message);
    }
  }
}

/** Tells whether the ledger answers. READY does not tell that: just after a start of everything, its pod may not exist yet. */
async function answers(
  baseUrl: string,
  { id, headers }: { readonly id: string; readonly headers: Readonly<Record<string, string>> },
): Promise<boolean> {
  const { ok } = await fetch(`${baseUrl}/api/v1/databases/${id}/tb/query_accounts`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"limit":1}',
    signal: AbortSignal.timeout(20_000),
  });
  return ok;
}

async function ledgerhouse(
  { baseUrl, apiKey }: Credentials,
  log: Log,
  args: readonly string[],
): Promise<string> {
  const env = { LEDGERHOUSE_BASE_URL: baseUrl, LEDGERHOUSE_API_KEY: apiKey, NO_COLOR: '1' };
  const said = await run(join(checkout, 'bin/ledgerhouse'), args, { env, timeoutMs: 60_000 });
  log(said);
  return said;
}
