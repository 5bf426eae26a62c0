/** Plays faults on the replicas, heals them, and waits until the service is back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ReplicaRole } from '../../domain/engine-status.ts';
import { EtcdError } from '../../engine/log/replicated/etcd.ts';
import { eventually } from '../support/shell.ts';
import type { Disks } from './disks.ts';
import type { History } from './history.ts';
import type { Load } from './load.ts';
import type { Network } from './network.ts';
import { Port, type Pair } from './pair.ts';
import { targetsOf, type Fault, type Play } from './schedule.ts';
import { SlowReaders } from './slow-readers.ts';
import { freeSpace, restoreQuota, takeSpace } from './space.ts';

export interface World {
  readonly pairs: readonly Pair[];
  readonly network: Network;
  readonly disks: Disks;
  readonly load: Load;
  readonly history: History;
}

export interface Played {
  /** Whether a majority of the replicas was left alone. */
  readonly majorityKept: boolean;
  /** Longest time without an answer to any client, from the fault's begin until the service was back; ms. */
  readonly gapMs: number;
  /** Longest wait of a client that was answered between this fault's begin and the next one's; ms. */
  readonly waitMs: number;
  /** Time from the fault's end until a client was answered that had asked after it; ms. */
  readonly backMs: number;
}

/** Longest time until the service is back; generous, because other work may use the machine. */
const BACK_MAX_MS = 120_000;
const JOINED_MAX_MS = 300_000;
const BULK_REQUESTS = 190;
const BULK_MAX_MS = 60_000;
/**
 * Free bytes of a disk without room for a checkpoint: less than a data file leaves free when it grows (256 MiB on these
 * disks), and enough for etcd's writes meanwhile.
 */
const NO_CHECKPOINT_BYTES = 250 * 2 ** 20;
/** Number of requests: more than the log keeps for a follower that is behind. */
const LOPSIDED_REQUESTS = 2 * BULK_REQUESTS;
const MOVE_EVERY_MS = 250;
const NARROW_MEGABITS = 20;
/** A rate so low that the queue is rarely empty, and a burst so small that hardly a packet avoids the queue. */
const CONGESTED = { megabits: 0.5, burst: '4kb' } as const;
const LOST_PART = 0.2;
/** If the calm is shorter, the next fault does not wait until all replicas have joined. */
const HASTY_CALM_MS = 900;

/** Faults that damage a replica's data and take long to repair: no other fault begins meanwhile. */
const mending = new Set<Play['kind']>([
  'lose-file',
  'lose-volume',
  'fall-behind',
  'full-disk',
  'lopsided-disks',
  'no-space',
]);

/** Faults that leave every replica running: a majority is left alone. */
const harmless = new Set<Play['kind']>(['move-leader', 'slow-readers']);

export class Player {
  readonly #world: World;
  readonly #slowReaders = new SlowReaders();

  constructor(world: World) {
    this.#world = world;
  }

  /** The reason why a play is impossible on this machine; undefined if it is possible. */
  impossible({ kind }: Play): string | undefined {
    const { network, disks } = this.#world;
    if (['cut', 'island', 'loss', 'narrow', 'congestion'].includes(kind) && !network.canBeCut)
      return 'no rights for network namespaces';
    if ((kind === 'full-disk' || kind === 'lopsided-disks') && !disks.canBeFull)
      return 'no rights to mount disks';
    if (kind === 'slow-disk' && !disks.canBeSlow) return 'no blkio controller of cgroups v1';
    return undefined;
  }

  /** Plays a fault and heals it. Throws if the service does not come back. */
  async play({ plays, holdMs, calmMs, picks }: Fault): Promise<Played> {
    const { pairs, history } = this.#world;
    const leader = await this.#leader();
    const hit = new Set<number>();
    const began = performance.now();
    for (const [i, play] of plays.entries()) {
      const pick = picks[i] ?? 0;
      const who = 'who' in play ? play.who : play.kind === 'fall-behind' ? 'follower' : 'leader';
      const targets = targetsOf(who, { size: pairs.length, leader, pick });
      const ends = play.kind === 'lopsided-disks' ? pairs.map(({ index }) => index) : targets;
      if (!harmless.has(play.kind)) for (const target of ends) hit.add(target);
      await this.#begin(play, targets, holdMs);
    }
    await sleep(Math.max(0, holdMs - (performance.now() - began)));
    await this.#heal();
    const healed = performance.now();
    await this.#back(healed);
    const back = performance.now();
    await restoreQuota(pairs);
    for (const pair of pairs) {
      await pair.replaceVolume();
      pair.start('both');
    }
    const isMending = plays.some(({ kind }) => mending.has(kind));
    if (isMending || calmMs >= HASTY_CALM_MS) await this.joined();
    for (const pair of pairs) pair.mayEnd = false;
    await sleep(calmMs);
    return {
      majorityKept: hit.size <= Math.floor((pairs.length - 1) / 2),
      gapMs: history.longestGapMs(began, back),
      waitMs: history.longestWaitMs(began, performance.now()),
      backMs: back - healed,
    };
  }

  /** Resolves when all replicas have everything committed and serve. */
  async joined(): Promise<void> {
    const { pairs } = this.#world;
    await eventually(
      'all replicas have all that is committed',
      async () => {
        // A process that a full disk ended only now is started again, as in a pod.
        for (const pair of pairs) if (pair.mayEnd) pair.start('both');
        const statuses = await Promise.all(pairs.map((pair) => pair.status()));
        return statuses.every((status) => status?.syncing === false) || undefined;
      },
      JOINED_MAX_MS,
    );
  }

  async #leader(): Promise<number> {
    const { pairs } = this.#world;
    for (let i = 0; i < 20; i += 1) {
      const statuses = await Promise.all(pairs.map((pair) => pair.status()));
      const leading = statuses.filter((status) => status?.role === ReplicaRole.primary);
      const [newest] = leading.sort((a, b) => (b?.view ?? 0) - (a?.view ?? 0));
      if (newest !== undefined) return newest.replicaIndex;
      await sleep(100);
    }
    return 0;
  }

  // oxlint-disable-next-line eslint/max-lines-per-function -- one case a fault
  async #begin(play: Play, targets: readonly number[], holdMs: number): Promise<void> {
    const { network, disks, load } = this.#world;
    const pairs = targets.map((target) => this.#world.pairs[target]!);
    const others = this.#world.pairs.map(({ index }) => index).filter((i) => !targets.includes(i));
    switch (play.kind) {
      case 'kill':
        await Promise.all(pairs.map((pair) => pair.end(play.part, 'SIGKILL')));
        return;
      case 'pause':
        for (const pair of pairs) pair.signal(play.part, 'SIGSTOP');
        return;
      case 'cut':
        await this.#cut(play.way, targets, others);
        return;
      case 'island':
        await this.#cut('both', targets, others);
        for (const target of targets) await network.deafenToClients(target);
        return;
      case 'loss':
        for (const target of targets) await network.lose(target, LOST_PART);
        return;
      case 'narrow':
        for (const target of targets) await network.narrow(target, NARROW_MEGABITS);
        return;
      case 'congestion':
        for (const target of targets)
          await network.narrow(target, CONGESTED.megabits, CONGESTED.burst);
        return;
      case 'slow-disk':
        for (const target of targets) disks.slow(target);
        return;
      case 'full-disk':
        for (const pair of pairs) {
          pair.mayEnd = true;
          await disks.fill(pair.index);
        }
        return;
      case 'lopsided-disks':
        for (const other of others) await disks.fill(other, NO_CHECKPOINT_BYTES);
        await this.#bulk(LOPSIDED_REQUESTS);
        await Promise.all(this.#world.pairs.map((pair) => pair.end('both', 'SIGKILL')));
        for (const pair of pairs) pair.loseVolume();
        return;
      case 'no-space':
        await takeSpace(pairs);
        return;
      case 'slow-readers':
        for (const target of targets)
          await this.#slowReaders.begin({ host: network.address(target), port: Port.clients });
        return;
      case 'clock':
        for (const pair of pairs) pair.setClock(play.hours);
        return;
      case 'move-leader':
        await this.#moveAround(holdMs);
        return;
      case 'stop':
        await Promise.all(pairs.map((pair) => pair.end('engine', 'SIGTERM')));
        return;
      case 'lose-file':
        for (const pair of pairs) {
          await pair.end('engine', 'SIGKILL');
          await pair.loseFile();
        }
        return;
      case 'lose-volume':
        for (const pair of pairs) {
          await pair.end('both', 'SIGKILL');
          pair.loseVolume();
        }
        return;
      case 'fall-behind':
        for (const pair of pairs) await pair.end('both', 'SIGKILL');
        await this.#bulk();
        return;
      case 'replay':
        for (const pair of pairs) await pair.end('engine', 'SIGKILL');
        for (let i = 0; i < 10; i += 1) {
          load.replayAll();
          await sleep(holdMs / 10);
        }
        return;
    }
  }

  async #cut(
    way: 'in' | 'out' | 'both',
    targets: readonly number[],
    others: readonly number[],
  ): Promise<void> {
    const { network } = this.#world;
    if (way !== 'out') for (const target of targets) await network.deafen(target, others);
    if (way !== 'in') for (const other of others) await network.deafen(other, targets);
  }

  async #moveAround(holdMs: number): Promise<void> {
    const { pairs } = this.#world;
    const until = performance.now() + Math.max(1500, holdMs);
    for (let n = 0; performance.now() < until; n += 1) {
      const statuses = await Promise.all(
        pairs.map(({ etcd }) => etcd.status({ timeoutMs: 300 }).catch(() => undefined)),
      );
      const at = statuses.findIndex((status) => status?.leaderId === status?.memberId);
      const to = statuses[(at + 1 + (n % (pairs.length - 1))) % pairs.length];
      if (at >= 0 && to !== undefined)
        await pairs[at]!.etcd.moveLeader(to.memberId, { timeoutMs: 1000 }).catch(
          (error: unknown) => {
            // The member no longer leads or could not: expected while leadership moves.
            if (!(error instanceof EtcdError)) throw error;
          },
        );
      await sleep(MOVE_EVERY_MS);
    }
  }

  async #bulk(requests = BULK_REQUESTS): Promise<void> {
    const { load } = this.#world;
    const [until, enough] = [performance.now() + BULK_MAX_MS, load.bulkSent + requests];
    load.bulk = true;
    while (load.bulkSent < enough && performance.now() < until) await sleep(100);
    load.bulk = false;
  }

  async #heal(): Promise<void> {
    const { pairs, network, disks } = this.#world;
    this.#slowReaders.end();
    await network.heal();
    disks.heal();
    for (const pair of pairs) {
      pair.setClock(0);
      pair.signal('both', 'SIGCONT');
      pair.start('both');
    }
    if (pairs.some(({ quotaBytes }) => quotaBytes !== undefined)) await freeSpace(pairs);
  }

  /** Resolves when a client is answered that asked after everything was healed. */
  async #back(healedMs: number): Promise<void> {
    const { history } = this.#world;
    const asked = history.writes.length;
    const until = performance.now() + BACK_MAX_MS;
    const isBack = (): boolean => {
      for (let i = history.writes.length - 1; i >= asked; i -= 1)
        if (history.writes[i]?.told !== undefined) return true;
      return (history.answeredAtMs.at(-1) ?? 0) > healedMs;
    };
    while (!isBack()) {
      if (performance.now() > until)
        throw new Error(`nobody was answered within ${BACK_MAX_MS / 1000} s of the end of a fault`);
      await sleep(10);
    }
  }
}
