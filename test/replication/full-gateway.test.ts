/**
 * The gateway before three replicas that are nearly full, then full, while leaders die, sessions are evicted and writes are
 * withdrawn: a write that was reported as not executed never appears, also not later, and reads go on.
 */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { Gateway } from '../../api/gateway/gateway.ts';
import { sleep, systemTimers } from '../../base/timers.ts';
import type { Client } from '../../engine/client/client.ts';
import { sessionsMax } from '../../engine/wire/limits.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { eventually } from '../support/shell.ts';
import { ReplicaGroup } from './replica-group.ts';
import { throughGateway, type Answer, type Run } from './through-gateway.ts';

jest.setTimeout(900_000);

const fillSize = 8_000;
const gatewaysPerRound = 6;
/** Transfers of the last batches. */
const smallSize = 16;
const writersPerGateway = 4;
const rounds = 4;
const roundMs = 2_500;

let group: ReplicaGroup | undefined;
const gateways: Gateway[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  await ensureProgram('etcd');
}, 900_000);
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const gateway of gateways.splice(0)) gateway.close();
  await group?.dispose();
  group = undefined;
});

function newGateway(made: ReplicaGroup): Run {
  const { gateway, run } = throughGateway(made);
  gateways.push(gateway);
  return run;
}

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

/** Writes until there is room for a few transfers only: on a slow machine the writers after it make few. */
async function fill(run: Run): Promise<Answer> {
  const accounts = [1, 2].map((id) => ({ id, ledger: 1, code: 1 }));
  await eventually('the accounts are there', async () => {
    const { outcome } = await run('create_accounts', accounts);
    return outcome === 'executed' ? true : undefined;
  });
  let size = fillSize;
  for (let batch = 0; batch < 1_000; batch += 1) {
    const answer = await run('create_transfers', transfers(size));
    // A busy machine may refuse a batch for another reason, such as a leader that has just changed.
    if (answer.outcome === 'executed' || answer.code !== 'ledger_full') continue;
    if (size === smallSize) return answer;
    size = smallSize;
  }
  throw new Error('the ledger never was full');
}

/** Registers more sessions than the cluster keeps, so that the earlier ones are evicted. */
function takeAllSessions(made: ReplicaGroup): void {
  for (const client of clients.splice(0)) client.close();
  for (let i = 0; i <= sessionsMax; i += 1) clients.push(made.connect(1_000));
}

/** Returns the ids that are in the ledger. */
async function present(run: Run, ids: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at = 0; at < ids.length; at += fillSize) {
    const asked = ids.slice(at, at + fillSize);
    const missing = await eventually('a lookup is answered', async () => {
      const answer = await run('lookup_transfers', asked);
      return answer.outcome === 'executed' ? new Set(answer.missing) : undefined;
    });
    found.push(...asked.filter((id) => !missing.has(id)));
  }
  return found;
}

test('a write that is said not to be executed never is, while a full group loses leaders and sessions', async () => {
  const made = (group = await ReplicaGroup.start({ flags: ['--memory-limit=48MiB'] }));
  await made.leader();
  const run = newGateway(made);
  expect(await fill(run)).toMatchObject({ code: 'ledger_full', outcome: 'not_executed' });

  const byOutcome = new Map<string, string[]>();
  const idsOf = (outcome: string) => byOutcome.get(outcome) ?? [];
  const codes = new Map<string, number>();
  const note = (outcome: string, code: string | undefined, ids: readonly string[]) => {
    const noted = byOutcome.get(outcome) ?? [];
    noted.push(...ids);
    byOutcome.set(outcome, noted);
    codes.set(`${outcome} ${code}`, (codes.get(`${outcome} ${code}`) ?? 0) + 1);
  };
  for (let round = 0; round < rounds; round += 1) {
    const leader = await made.leader();
    const enough = new AbortController();
    // No gateway knows yet that the ledger is full: each finds out by a write that it has sent.
    const writing = Array.from({ length: gatewaysPerRound }, () => newGateway(made)).flatMap(
      (write, gateway) =>
        Array.from({ length: writersPerGateway }, async (_, writer) => {
          // A ledger gets room again when rows leave memory: one writer fills it on a slow machine too.
          const size = gateway + writer === 0 ? fillSize : smallSize;
          while (!enough.signal.aborted) {
            const written = transfers(size);
            const { outcome, code } = await write('create_transfers', written);
            note(
              outcome ?? 'untold',
              code,
              written.map(({ id }) => id),
            );
            if (outcome !== 'executed') await sleep(systemTimers, 20, enough.signal);
          }
        }),
    );
    if (round === 0) {
      await eventually('a write is told not to be executed', () =>
        Promise.resolve(idsOf('not_executed').length > 0 ? true : undefined),
      );
    }
    takeAllSessions(made);
    await sleep(systemTimers, 200 + 100 * round);
    takeAllSessions(made);
    await made.signal(leader, round % 2 === 0 ? 'SIGKILL' : 'SIGSTOP');
    await sleep(systemTimers, roundMs);
    enough.abort();
    if (round % 2 === 0) made.start(leader);
    else await made.signal(leader, 'SIGCONT');
    await Promise.all(writing);
    await made.joined(leader);
    const account = await eventually('reads go on', async () => {
      const { result } = await run('lookup_accounts', ['1']);
      return result?.[0];
    });
    expect(account).toBeDefined();
  }
  process.stderr.write(`figure: ${JSON.stringify([...codes])}\n`);
  expect(idsOf('untold')).toEqual([]);
  const expectTold = async () => {
    expect(await present(run, idsOf('not_executed'))).toEqual([]);
    expect(await present(run, idsOf('executed'))).toEqual(idsOf('executed'));
  };
  await expectTold();

  // The withdrawn writes do not appear after there is room again.
  for (const replica of [0, 1, 2]) {
    await made.signal(replica, 'SIGTERM');
    made.start(replica, ['--memory-limit=256MiB']);
    await made.joined(replica);
  }
  await eventually('it takes writes again', async () => {
    const { outcome } = await run('create_transfers', transfers(fillSize));
    return outcome === 'executed' ? true : undefined;
  });
  await made.level();
  await expectTold();
});
