/** A real engine at its limit behind the gateway: creates are refused at once and reads go on. */
import { afterEach, expect, test } from '@jest/globals';
import pino from 'pino';
import { Gateway } from '../../../api/gateway/gateway.ts';
import { runOperation, type LedgerAnswer } from '../../../api/gateway/run-operation.ts';
import { ledgerOperations, type LedgerOperationName } from '../../../api/ledger/operations.ts';
import { MetricRegistry } from '../../../base/metrics/metrics.ts';
import { TestEngine } from '../../support/engine/engine.ts';
import { eventually } from '../../support/shell.ts';

const engines: TestEngine[] = [];
const gateways: Gateway[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) gateway.close();
  for (const engine of engines.splice(0)) await engine.dispose();
});

interface Answer {
  readonly status: number;
  readonly problem: Readonly<Record<string, unknown>> | undefined;
  readonly summary: Readonly<Record<string, number>>;
  readonly result: readonly Readonly<Record<string, unknown>>[];
  readonly missing: readonly string[];
}

async function world() {
  const engine = await TestEngine.create({ flags: ['--memory-limit=48MiB'] });
  engines.push(engine);
  const gateway = new Gateway({
    logger: pino({ level: 'silent' }),
    registry: new MetricRegistry(),
    statusUrl: () => `http://127.0.0.1:${engine.statusPort}/status`,
  });
  gateways.push(gateway);
  const run = async (operation: LedgerOperationName, payload: unknown): Promise<Answer> => {
    const answer = await runOperation(
      gateway,
      ledgerOperations[operation],
      new TextEncoder().encode(JSON.stringify(payload)),
      {
        target: {
          databaseId: 'db_full',
          cluster: 0n,
          version: 0,
          addresses: [{ host: '127.0.0.1', port: engine.port }],
        },
        owner: 'org_test',
        requestId: 'req_test',
        engine: 'Builtin',
        engineVersion: '0.1.0',
        streams: false,
        format: 'json',
        timeoutMs: 20_000,
      },
    );
    const shown = answer.ok ? parsed(answer) : {};
    const status = answer.ok ? 200 : (answer.problem?.status ?? 0);
    const problem = answer.ok ? undefined : { ...answer.problem };
    return { ...(shown as Answer), status, problem };
  };
  return { engine, gateway, run };
}

const parsed = ({ body }: LedgerAnswer): unknown => JSON.parse(new TextDecoder().decode(body));

let lastId = 1_000;
const transfers = (count: number) =>
  Array.from({ length: count }, () => ({
    id: String((lastId += 1)),
    debit_account_id: 1,
    credit_account_id: 2,
    amount: 1,
    ledger: 1,
    code: 1,
  }));

/** Writes until the ledger takes no more; gives the answer that said so. */
async function fill(run: Awaited<ReturnType<typeof world>>['run']): Promise<Answer> {
  await run(
    'create_accounts',
    [1, 2].map((id) => ({ id, ledger: 1, code: 1 })),
  );
  for (let batch = 0; batch < 1_000; batch += 1) {
    const answer = await run('create_transfers', transfers(8_000));
    // A busy machine may be late with a batch.
    if (answer.problem?.['code'] === 'ledger_full') return answer;
  }
  throw new Error('the ledger never was full');
}

test('a full ledger refuses creates at once without executing any, and still answers reads', async () => {
  const { run } = await world();
  const first = await fill(run);
  expect(first.problem).toMatchObject({
    status: 503,
    code: 'ledger_full',
    outcome: 'not_executed',
    detail: expect.stringContaining('memory'),
  });
  const refused = transfers(8_000);
  const next = await run('create_transfers', refused);
  expect(next.problem).toMatchObject({ status: 503, code: 'ledger_full', outcome: 'not_executed' });
  const ids = refused.slice(0, 3).map(({ id }) => id);
  const [found, posted] = await Promise.all([
    run('lookup_transfers', ids),
    run('lookup_accounts', [1]),
  ]);
  expect(found.missing).toEqual(ids);
  expect(Number(posted.result[0]?.['debits_posted']) % 8_000).toBe(0);
});

test('a write that is not answered holds no read up', async () => {
  const { run } = await world();
  await fill(run);
  const writing = { ended: false };
  const writes = Promise.all(
    Array.from({ length: 5 }, () => run('create_transfers', transfers(8_000))),
  );
  void writes.then(() => {
    writing.ended = true;
  });
  const reads: Answer[] = [];
  while (!writing.ended || reads.length < 20) reads.push(await run('lookup_accounts', [1]));
  expect(reads.map(({ status }) => status).every((status) => status === 200)).toBe(true);
});

test('a ledger that has room again takes writes again', async () => {
  const { run, engine } = await world();
  await fill(run);
  await engine.end('SIGKILL');
  await engine.startWith(['--memory-limit=256MiB']);
  await eventually('it takes writes again', async () => {
    const answer = await run('create_transfers', transfers(8_000));
    return answer.status === 200 ? true : undefined;
  });
});
