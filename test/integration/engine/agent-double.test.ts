/** TigerBeetle's double as the operator's tests use it: processes on loopback addresses, each with its agent. */
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEngineStatus } from '../../../domain/parse-engine-status.ts';
import type { EngineStatus } from '../../../domain/engine-status.ts';
import { Client } from '../../../engine/client/client.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import {
  agentProgram,
  ask,
  doubleWith,
  endAllProcesses,
  identityFlags,
  loopback,
  startAgent,
  TestProcess,
} from '../../support/engine/agent.ts';
import { accountBytes, create, created, lookupAccounts } from '../../support/engine/ledger.ts';
import { eventually, shell } from '../../support/shell.ts';

const root = mkdtempSync(join(tmpdir(), 'ledgerhouse-double-'));
const cluster = 340_282_366_920_938_463_463_374_607_431_768_211_455n;
const older = '0.17.8';
const newer = '0.17.9';

afterEach(endAllProcesses);
afterAll(() => rmSync(root, { recursive: true, force: true }));

class Cluster {
  readonly folder = mkdtempSync(join(root, 'cluster-'));
  readonly count: number;
  readonly #replicas = new Map<number, TestProcess>();

  constructor(count: number) {
    this.count = count;
  }

  identity = (replica: number) => ({ cluster, replica, count: this.count });
  path = (replica: number) => join(this.folder, `${replica}.tigerbeetle`);
  /** As the operator writes it: a replica's own entry is every address of its pod. */
  addresses = () =>
    Array.from({ length: this.count }, (_, index) => `${loopback(index)}:3001`).join(',');

  async format(): Promise<void> {
    for (let replica = 0; replica < this.count; replica += 1) {
      const flags = identityFlags(this.identity(replica));
      expect(await run(doubleWith(['format', ...flags, this.path(replica)]))).toMatchObject({
        code: 0,
      });
    }
  }

  start(replica: number, release = older): TestProcess {
    const running = new TestProcess(
      doubleWith([
        'start',
        `--addresses=${this.addresses()}`,
        '--cache-grid=1024MiB',
        '--experimental',
        `--statsd=${loopback(replica)}:8125`,
        this.path(replica),
      ]),
      { LEDGER_DOUBLE_RELEASE: release, LEDGER_DOUBLE_STATSD_INTERVAL_MS: '300' },
    );
    this.#replicas.set(replica, running);
    return running;
  }

  startAgent = (replica: number) => startAgent(this.identity(replica), this.path(replica));

  async kill(replica: number): Promise<void> {
    await this.#replicas.get(replica)?.end('SIGKILL');
  }

  /** Stopped it stands still, and knows what it knew when it goes on. */
  signal(replica: number, name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#replicas.get(replica)?.child.kill(name);
  }
}

const run = ([program = '', ...args]: readonly string[], env: Record<string, string> = {}) =>
  shell(program, args, { env });

async function statusOf(replica: number): Promise<EngineStatus> {
  const parsed = parseEngineStatus(JSON.parse((await ask(replica, '/status')).body));
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed;
}

const becomes = (
  what: string,
  replicas: readonly number[],
  is: (status: EngineStatus, all: readonly EngineStatus[]) => boolean,
) =>
  eventually(what, async () => {
    const statuses = await Promise.all(replicas.map(statusOf));
    return statuses.every((one) => is(one, statuses)) ? statuses : undefined;
  });

/** Whether all replicas are in one view, with its primary among them. Which view depends on who was slow to start. */
const isOfOneView = (one: EngineStatus, all: readonly EngineStatus[]): boolean =>
  one.view === all[0]?.view &&
  one.role === (one.view % one.replicaCount === one.replicaIndex ? 'primary' : 'backup') &&
  all.filter(({ role }) => role === 'primary').length === 1;

const ready = (replica: number) =>
  eventually(`replica ${replica} is ready`, async () =>
    (await ask(replica, '/readyz')).code === 200 ? true : undefined,
  );

const remains = async (what: () => Promise<boolean>, forMs: number) => {
  const end = Date.now() + forMs;
  while (Date.now() < end) {
    expect(await what()).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};

test('three replicas: a quorum makes them ready, and losing one leaves the others so', async () => {
  const three = new Cluster(3);
  await three.format();
  for (const replica of [0, 1, 2]) three.startAgent(replica);
  three.start(0);
  await eventually('the first one says that it waits', async () =>
    (await ask(0, '/readyz')).body === 'replica_status is 1 (view change)\n' ? true : undefined,
  );
  await remains(async () => (await ask(0, '/readyz')).code === 503, 1_500);
  three.start(1);
  await Promise.all([ready(0), ready(1)]);
  three.start(2);
  await ready(2);
  for (const status of await becomes('one view', [0, 1, 2], isOfOneView)) {
    expect(status).toMatchObject({ syncing: false, release: older });
  }

  await three.kill(0);
  await becomes('the view moves on', [1, 2], isOfOneView);
  // On a machine that stands still for as long as a silence may last they miss each other, and then go on again.
  await eventually('the two remain ready', async () => {
    for (const end = Date.now() + 2_000; Date.now() < end;) {
      if (!(await Promise.all([1, 2].map((one) => ask(one, '/readyz')))).every(isOk))
        return undefined;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return true;
  });
  await three.kill(1);
  await eventually('one alone is no quorum', async () =>
    (await ask(2, '/readyz')).code === 503 ? true : undefined,
  );
  three.start(0);
  await Promise.all([ready(0), ready(2)]);
  await becomes('one view again', [0, 2], isOfOneView);
});

/** An agent that has heard nothing for a moment, on a machine that stands still, tells no release. */
const saysOlder = async (replicas: readonly number[]): Promise<boolean> =>
  (await Promise.allSettled(replicas.map(statusOf))).every(
    (one) => one.status === 'rejected' || one.value.release === older,
  );

const isOk = ({ code }: { code: number }) => code === 200;

test('a release becomes active when all replicas have it, and cannot be gone back from', async () => {
  const three = new Cluster(3);
  await three.format();
  for (const replica of [0, 1, 2]) {
    three.startAgent(replica);
    three.start(replica);
  }
  await Promise.all([0, 1, 2].map(ready));
  for (const replica of [2, 1]) {
    await three.kill(replica);
    three.start(replica, newer);
    await ready(replica);
  }
  await remains(() => saysOlder([0, 1, 2]), 2_000);
  await three.kill(0);
  // One is away: the others wait for it, as upstream's do.
  await remains(() => saysOlder([1, 2]), 2_000);
  three.start(0, newer);
  await becomes('all run the newer release', [0, 1, 2], (status) => status.release === newer);
  await three.kill(1);
  const downgraded = three.start(1, older);
  expect(await downgraded.ended).toBe(1);
  expect(downgraded.log).toContain('release 0.17.9 is not available in this program');
});

test('a lost replica is recovered from the others, which must be there, and syncs first', async () => {
  const three = new Cluster(3);
  await three.format();
  for (const replica of [0, 1, 2]) {
    three.startAgent(replica);
    three.start(replica);
  }
  await Promise.all([0, 1, 2].map(ready));
  await three.kill(0);
  rmSync(three.path(0));
  await becomes('the others go on', [1, 2], isOfOneView);
  const recover = doubleWith([
    'recover',
    ...identityFlags(three.identity(0)),
    `--addresses=${three.addresses()}`,
    `${three.path(0)}.partial`,
  ]);
  expect(await run(recover)).toMatchObject({ code: 0 });
  const agent = (verb: string) =>
    run([
      agentProgram,
      verb,
      `--path=${three.path(0)}`,
      ...identityFlags(three.identity(0)),
      '--engine=TigerBeetle',
    ]);
  expect(await agent('check')).toMatchObject({ code: 10 });
  expect(await agent('install')).toMatchObject({ code: 0 });
  expect(await agent('check')).toMatchObject({ code: 0 });
  await becomes('the others have committed', [1, 2], (status) => status.commit === 8);

  // The restarted replica cannot catch up before the others go on.
  for (const other of [1, 2]) three.signal(other, 'SIGSTOP');
  three.start(0);
  const stage = `replica_sync_stage{cluster="${cluster}",replica="0"}`;
  await eventually('it syncs', async () =>
    (await ask(0, '/metrics')).body.includes(`${stage} 3\n`) ? true : undefined,
  );
  await becomes('its status says so too', [0], (status) => status.syncing);
  await remains(async () => (await ask(0, '/readyz')).code === 503, 1_500);
  for (const other of [1, 2]) three.signal(other, 'SIGCONT');
  await ready(0);
  await becomes('it has caught up', [0], (status) => !status.syncing && status.commit === 8);

  await three.kill(1);
  await three.kill(2);
  rmSync(three.path(0), { force: true });
  const alone = await run(recover);
  expect(alone).toMatchObject({ code: 1 });
  expect(alone.stderr).toContain('no healthy cluster at the addresses');
});

test('six replicas need four', async () => {
  const six = new Cluster(6);
  await six.format();
  six.startAgent(0);
  for (const replica of [0, 1, 2]) six.start(replica);
  await eventually('it waits', async () =>
    (await ask(0, '/readyz')).body === 'replica_status is 1 (view change)\n' ? true : undefined,
  );
  await remains(async () => (await ask(0, '/readyz')).code === 503, 1_500);
  six.start(3);
  await ready(0);
});

test('a replica of another cluster at an address does not count', async () => {
  const three = new Cluster(3);
  await three.format();
  rmSync(three.path(1));
  const foreign = identityFlags({ cluster: 5n, replica: 1, count: 3 });
  await run(doubleWith(['format', ...foreign, three.path(1)]));
  three.startAgent(0);
  three.start(0);
  three.start(1);
  await eventually('it waits', async () =>
    (await ask(0, '/readyz')).body === 'replica_status is 1 (view change)\n' ? true : undefined,
  );
  await remains(async () => (await ask(0, '/readyz')).code === 503, 2_000);
});

test('a cluster of one serves clients, and acknowledged requests survive a kill', async () => {
  const one = new Cluster(1);
  await one.format();
  one.startAgent(0);
  one.start(0);
  await ready(0);
  const connect = () =>
    new Client({ cluster, addresses: [{ host: loopback(0), port: 3001 }], timeoutMs: 180_000 });
  const client = connect();
  const created1 = await create(client, Operation.createAccounts, accountBytes([1n]));
  expect(created1).toEqual([created]);
  await becomes(
    'the account is counted',
    [0],
    ({ accounts, role }) => accounts === 1 && role === 'primary',
  );
  client.close();
  await one.kill(0);
  one.start(0, newer);
  const again = connect();
  expect(await lookupAccounts(again, [1n])).toHaveLength(1);
  again.close();
  await becomes('the newer release runs', [0], (status) => status.release === newer);
});

test('an experimental flag needs --experimental, as upstream', async () => {
  const ended = await run(
    doubleWith(['start', '--addresses=127.0.0.1:3001', '--statsd=127.0.0.1:8125', '/nowhere']),
  );
  expect(ended).toMatchObject({ code: 1 });
  expect(ended.stderr).toContain('--statsd is marked experimental');
});
