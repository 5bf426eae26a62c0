/** The engine's verbs, as scripts and operators use them. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Operation } from '../../engine/wire/operations.ts';
import { engineProgram, TestEngine } from '../support/engine/engine.ts';
import {
  accountBytes,
  connectTo,
  create,
  created,
  lookupAccounts,
  transferBytes,
} from '../support/engine/ledger.ts';
import { shell } from '../support/shell.ts';

jest.setTimeout(900_000);
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const engine = (...args: string[]) => shell(engineProgram, args);
const formatted = async (name: string, cluster = '7') => {
  const path = join(folder, name);
  const { code, stderr } = await engine(
    'format',
    `--cluster=${cluster}`,
    '--replica=0',
    '--replica-count=1',
    path,
  );
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return path;
};

test('format refuses to overwrite and makes a file that only its owner reads', async () => {
  const path = await formatted('a.ledger');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const again = await engine('format', '--cluster=8', '--replica=0', '--replica-count=1', path);
  expect(again.code).toBe(1);
  expect((await engine('inspect', path)).stdout).toContain('cluster=7\n');
});

test.each([
  [['format', '--cluster=x', '--replica=0', '--replica-count=1', 'f'], 'is not a cluster id'],
  [
    [
      'format',
      '--cluster=340282366920938463463374607431768211456',
      '--replica=0',
      '--replica-count=1',
      'f',
    ],
    'below 2^128',
  ],
  [['format', '--cluster=1', '--replica=1', '--replica-count=1', 'f'], '--replica is "1"'],
  [['format', '--cluster=1', '--replica=0', 'f'], '--replica-count is missing'],
  [['format', '--replica-cuont=1', 'f'], 'did you mean --replica-count?'],
  [['start', '--addresses=localhost:3001', 'f'], 'is not an address'],
  [['start', '--addresses=3001', 'f'], 'f'],
  [['start', 'f'], '--addresses is missing'],
  [['start', '--addresses=3001', '--listen=localhost', 'f'], 'is not an address'],
  [['frobnicate'], 'no verb "frobnicate"'],
  [['recover', '--replica-count=1', 'f'], 'restore it from a backup'],
  [['inspect'], 'inspect takes <path>'],
])('%j is refused in one line that says what to do', async (args, said) => {
  const { code, stderr } = await engine(...args);
  expect(code).toBe(1);
  expect(stderr.toLowerCase()).toContain(said.toLowerCase());
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('a file that is no data file is refused by inspect and start', async () => {
  const path = join(folder, 'text');
  writeFileSync(path, 'x'.repeat(100_000));
  for (const args of [
    ['inspect', path],
    ['start', '--addresses=0', path],
  ]) {
    expect((await engine(...args)).code).toBe(1);
  }
});

test('with --addresses=0 it prints the port it took and ends with its stdin', async () => {
  const path = await formatted('b.ledger', '0');
  const child = spawn(engineProgram, ['start', '--addresses=0', path], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const port = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(String(chunk))),
  );
  expect(port).toMatch(/^\d+\n$/);
  await new Promise<void>((resolve, reject) =>
    connect(Number(port), '127.0.0.1', resolve).once('error', reject),
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.end();
  expect(await ended).toBe(0);
});

test('a second start on the same data file is refused while the first one runs', async () => {
  const running = await TestEngine.create({ folder });
  try {
    const second = await engine('start', '--addresses=0', running.path);
    expect(second.code).toBe(1);
    expect(second.stderr.trim().split('\n')).toHaveLength(1);
  } finally {
    await running.dispose();
  }
});

test('with --listen it serves there, though its own entry of --addresses is an address of another host', async () => {
  const path = await formatted('c.ledger', '0');
  // 192.0.2.1 (RFC 5737) is no address of any host.
  const child = spawn(
    engineProgram,
    ['start', '--addresses=192.0.2.1:3001', '--listen=127.0.0.1:0', path],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let log = '';
  const port = await new Promise<number>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      log += String(chunk);
      const listening = /"port":(\d+),"msg":"listening"/.exec(log)?.[1];
      if (listening !== undefined) resolve(Number(listening));
    });
    child.once('exit', () => reject(new Error(log)));
  });
  await new Promise<void>((resolve, reject) =>
    connect(port, '127.0.0.1', resolve).once('error', reject),
  );
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('a start whose port is taken ends with 1, also when it serves its status already', async () => {
  const running = await TestEngine.create();
  try {
    const path = await formatted('other.ledger', '0');
    const { code, stderr } = await engine(
      'start',
      `--addresses=127.0.0.1:${running.port}`,
      '--status-address=127.0.0.1:0',
      path,
    );
    expect(code).toBe(1);
    expect(stderr).toContain('EADDRINUSE');
  } finally {
    await running.dispose();
  }
});

test('an export of a stopped engine is its checkpoint, and one of a killed engine is refused', async () => {
  const running = await TestEngine.create({ folder });
  const copy = join(folder, 'copy.ledger');
  try {
    const client = connectTo(running.port);
    await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
    client.close();
    const { stateHash } = await running.status();
    await running.end('SIGKILL');
    const refused = await engine('export', `--from=${running.path}`, copy);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('not closed cleanly'),
    ]);
    await running.start();
    await running.end('SIGTERM');
    expect((await engine('export', `--from=${running.path}`, copy)).code).toBe(0);
    const inspected = (await engine('inspect', copy)).stdout;
    expect(inspected).toContain(`state_hash=${stateHash}`);
    expect(inspected).toContain('verified=true');
  } finally {
    await running.dispose();
  }
});

test('an export of a running engine restores into another cluster with every balance', async () => {
  const running = await TestEngine.create({ folder });
  const copy = join(folder, 'copy.ledger');
  try {
    const client = connectTo(running.port);
    expect(await create(client, Operation.createAccounts, accountBytes([1n, 2n]))).toEqual([
      created,
      created,
    ]);
    const paid = transferBytes([{ id: 9n, debit: 1n, credit: 2n, amount: 250n }]);
    expect(await create(client, Operation.createTransfers, paid)).toEqual([created]);
    const { stateHash } = await running.status();
    expect(
      (await engine('export', `--status-address=127.0.0.1:${running.statusPort}`, copy)).code,
    ).toBe(0);
    expect(
      (await engine('export', `--status-address=127.0.0.1:${running.statusPort}`, copy)).stderr,
    ).toContain('does not overwrite');
    const inspected = (await engine('inspect', copy)).stdout;
    expect(inspected).toContain(`state_hash=${stateHash}`);
    expect(inspected).toContain('verified=true');
    expect((await engine('restore', '--cluster=42', copy, `${folder}/restored.ledger`)).code).toBe(
      0,
    );
    expect((await engine('restore', copy, `${folder}/restored.ledger`)).code).toBe(1);
    expect((await engine('inspect', `${folder}/restored.ledger`)).stdout).toContain('cluster=42\n');
    client.close();
  } finally {
    await running.dispose();
  }
});

test('acknowledged events are there after SIGTERM, which ends with 0 and leaves nothing to replay', async () => {
  const running = await TestEngine.create({ folder });
  try {
    let client = connectTo(running.port);
    await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
    await create(
      client,
      Operation.createTransfers,
      transferBytes([{ id: 5n, debit: 1n, credit: 2n, amount: 7n }]),
    );
    const { stateHash } = await running.status();
    client.close();
    expect(await running.end('SIGTERM')).toBe(0);
    await running.start();
    expect(running.log).toContain('"replayed":0');
    expect((await running.status()).stateHash).toBe(stateHash);
    client = connectTo(running.port);
    const [one, two] = await lookupAccounts(client, [1n, 2n]);
    expect([one?.debitsPosted, two?.creditsPosted]).toEqual([7n, 7n]);
    client.close();
  } finally {
    await running.dispose();
  }
});
