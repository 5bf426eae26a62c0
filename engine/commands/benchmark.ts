import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../client/client.ts';
import { formatDataFile } from '../log/format-file.ts';
import { Operation } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { UsageError, type Verb } from './verb.ts';
import type { HostPort } from '../../base/host-port.ts';
import { parseAddresses, parseInteger } from './values.ts';
import {
  accountBatch,
  batches,
  figures,
  idsBatch,
  queryByLedger,
  timed,
  type Figures,
} from './workload.ts';

export const benchmark: Verb = {
  name: 'benchmark',
  summary:
    'Measure create_transfers, lookups and queries, on a temporary replica unless addresses are given.',
  arguments: [],
  flags: [
    {
      name: 'addresses',
      value: 'list',
      help: 'addresses of a running cluster with ID 0; what the load writes stays in it',
    },
    { name: 'account-count', value: 'count', help: 'accounts, 10000 by default' },
    { name: 'transfer-count', value: 'count', help: 'transfers, 1000000 by default' },
    {
      name: 'transfer-batch-count',
      value: 'count',
      help: 'transfers in a request, 8189 by default',
    },
  ],
  async run(input) {
    const number = (flag: string, otherwise: number, max: number) =>
      parseInteger(flag, input.flag(flag) ?? String(otherwise), 1, max);
    const load = {
      accounts: Math.max(2, number('account-count', 10_000, 10_000_000)),
      transfers: number('transfer-count', 1_000_000, 100_000_000),
      batch: number('transfer-batch-count', 8189, 8189),
    };
    const list = input.flag('addresses');
    if (list !== undefined) {
      await measure(parseAddresses(list), load);
      return 0;
    }
    const replica = await temporaryReplica();
    try {
      await measure([replica.address], load);
    } finally {
      await replica.stop();
    }
    return 0;
  },
};

interface Load {
  readonly accounts: number;
  readonly transfers: number;
  readonly batch: number;
}

async function measure(addresses: readonly HostPort[], load: Load): Promise<void> {
  const client = new Client({ cluster: 0n, addresses, timeoutMs: 60_000 });
  try {
    for (let first = 1; first <= load.accounts; first += 8189) {
      const count = Math.min(8189, load.accounts - first + 1);
      await client.submit(Operation.createAccounts, accountBatch(first, count));
    }
    const source = batches('plain', load.batch, load.accounts);
    const times: number[] = [];
    for (let done = 0; done < load.transfers; done += load.batch) {
      const { body, bodyChecksum } = source();
      times.push(
        await timed(() => client.submit(Operation.createTransfers, body, { bodyChecksum })),
      );
    }
    print('create_transfers', figures(times, load.batch));
    const anyone = () => idsBatch([1 + Math.floor(Math.random() * load.accounts)]);
    print('lookup of one account', await repeat(client, Operation.lookupAccounts, 1000, anyone));
    const page = () => queryByLedger(1, 8189);
    print('query of 8,189 transfers', await repeat(client, Operation.queryTransfers, 100, page));
  } finally {
    client.close();
  }
}

async function repeat(
  client: Client,
  operation: number,
  count: number,
  body: () => Uint8Array,
): Promise<Figures> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1)
    times.push(await timed(() => client.submit(operation, body())));
  return figures(times, 1);
}

function print(name: string, { perSecond, p50, p99 }: Figures): void {
  const rate = `${perSecond.toLocaleString('en')}/s`;
  process.stdout.write(
    `${name.padEnd(26)}${rate.padStart(12)}   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms\n`,
  );
}

/** Starts a replica in its own process, on a temporary data file. */
async function temporaryReplica(): Promise<{ address: HostPort; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-engine-benchmark-'));
  const path = join(folder, '0_0.ledger');
  const identity = { clusterId: 0n, replicaIndex: 0, replicaCount: 1 };
  await formatDataFile({ path, identity, release: engineRelease });
  const program = process.argv[1] ?? '';
  const child = spawn(process.execPath, [program, 'start', '--addresses=0', path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdin.end();
    if (child.exitCode === null) await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
    child.once('exit', () =>
      reject(new UsageError('the temporary replica ended; its log is above')),
    );
  });
  return { address: { host: '127.0.0.1', port }, stop };
}
