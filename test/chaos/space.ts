/**
 * etcd's quota, reached for real: every member is started with a small one, and somebody else's keys take it up until etcd
 * raises its alarm. Then no put is taken, and what an operator would do is the engines' to do.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdError, type Etcd, type Txn } from '../../engine/log/replicated/etcd.ts';
import { eventually } from '../support/shell.ts';
import type { Pair } from './pair.ts';

/** Of what is in use: below the half of it the engines take entries, once there is no junk any more. */
const QUOTA_PARTS = 4;
const QUOTA_MIN_BYTES = 48 * 2 ** 20;
const JUNK_BYTES = 2 ** 20;
const CALL = { timeoutMs: 2000 };
const FILLED_MAX_MS = 120_000;

/** Behind all keys of the log. */
const junk = { key: Buffer.from('zz'), rangeEnd: Buffer.from('zzz') };

/** Resolves when etcd has refused a put for want of space. The members go on with the small quota. */
export async function takeSpace(pairs: readonly Pair[]): Promise<void> {
  const inUse = await Promise.all(
    pairs.map(({ etcd }) => asked(async () => (await etcd.status(CALL)).bytesInUse)),
  );
  const quotaBytes = Math.max(QUOTA_MIN_BYTES, QUOTA_PARTS * Math.max(...inUse));
  for (const pair of pairs) await restart(pair, quotaBytes);
  const { etcd } = pairs[0]!;
  const until = performance.now() + FILLED_MAX_MS;
  for (let count = 0; !(await isRefused(etcd, count)); count += 1)
    if (performance.now() > until) throw new Error('etcd did not run out of its quota');
}

/** The junk is gone; the engines make room of that by themselves. */
export async function freeSpace(pairs: readonly Pair[]): Promise<void> {
  const { etcd } = pairs[0]!;
  const deletion: Txn = { compare: [], success: [{ do: 'delete', ...junk }], failure: [] };
  await asked(() => etcd.txn(deletion, CALL));
}

/** The quota that a database has, for those that have a smaller one. */
export async function restoreQuota(pairs: readonly Pair[]): Promise<void> {
  for (const pair of pairs) if (pair.quotaBytes !== undefined) await restart(pair, undefined);
}

/** One at a time, and it takes part again before the next one goes. */
async function restart(pair: Pair, quotaBytes: number | undefined): Promise<void> {
  await pair.end('etcd', 'SIGKILL');
  pair.quotaBytes = quotaBytes;
  pair.start('etcd');
  await asked(async () => ((await pair.etcd.status(CALL)).leaderId === 0n ? undefined : true));
}

/** Puts a little more; true when that is refused. */
async function isRefused(etcd: Etcd, count: number): Promise<boolean> {
  const key = Buffer.from(`zz${count}`);
  const success = [{ do: 'put', key, value: Buffer.alloc(JUNK_BYTES, 7) }] as const;
  try {
    await etcd.append({ compare: [], success, failure: [] }, CALL);
    return false;
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    if (error.code === 'no_space') return true;
    await sleep(100);
    return false;
  }
}

const asked = <T>(probe: () => Promise<T | undefined>): Promise<T> =>
  eventually('a member of etcd answers', probe);
