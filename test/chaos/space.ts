/**
 * A real exhaustion of etcd's quota: every member is started with a small quota, and foreign keys fill it until etcd
 * raises its alarm. Then etcd takes no puts, and the engines must clear up as an operator would.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdError, type Etcd, type Txn } from '../../engine/log/replicated/etcd.ts';
import { eventually } from '../support/shell.ts';
import type { Pair } from './pair.ts';

/** The quota as a multiple of the space in use: without the junk less than half is used, so the engines take entries. */
const QUOTA_PARTS = 4;
const QUOTA_MIN_BYTES = 48 * 2 ** 20;
const JUNK_BYTES = 2 ** 20;
const CALL = { timeoutMs: 2000 };
const FILLED_MAX_MS = 120_000;

/** Range of the junk keys, which sort behind all keys of the log. */
const junk = { key: Buffer.from('zz'), rangeEnd: Buffer.from('zzz') };

/** Fills the quota. Resolves when etcd has refused a put for lack of space. The members keep the small quota. */
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

/** Deletes the junk; the engines free the space by themselves. */
export async function freeSpace(pairs: readonly Pair[]): Promise<void> {
  const { etcd } = pairs[0]!;
  const deletion: Txn = { compare: [], success: [{ do: 'delete', ...junk }], failure: [] };
  await asked(() => etcd.txn(deletion, CALL));
}

/** Restarts members that have a small quota with that of a database. */
export async function restoreQuota(pairs: readonly Pair[]): Promise<void> {
  for (const pair of pairs) if (pair.quotaBytes !== undefined) await restart(pair, undefined);
}

/** Restarts a member and waits until it takes part again. */
async function restart(pair: Pair, quotaBytes: number | undefined): Promise<void> {
  await pair.end('etcd', 'SIGKILL');
  pair.quotaBytes = quotaBytes;
  pair.start('etcd');
  await asked(async () => ((await pair.etcd.status(CALL)).leaderId === 0n ? undefined : true));
}

/** Puts a few more keys. Resolves with true if etcd refuses them. */
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
