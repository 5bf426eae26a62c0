/** Watches the replicas during a run: memory, disks, state hashes, halted replicas. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineWarning } from '../../domain/engine-status.ts';
import type { World } from './player.ts';

const EVERY_MS = 500;

interface Peaks {
  engineBytes: number;
  etcdBytes: number;
  diskBytes: number;
}

export interface Reign {
  readonly view: number;
  readonly index: number;
  /** Why the replica took the lead. */
  readonly why: string;
}

const LEADING = /"role":"leader","view":(\d+),"why":"(\w+)"/g;

/** Returns the reasons of reigns with their numbers. */
export function reasonsOf(reigns: readonly Reign[]): string {
  const counts = new Map<string, number>();
  for (const { why } of reigns) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts].map(([why, count]) => `${count} ${why}`).join(', ');
}

export class Watcher {
  readonly #world: World;
  readonly #hashes = new Map<number, string>();
  readonly peaks: Peaks = { engineBytes: 0, etcdBytes: 0, diskBytes: 0 };
  #stopped = false;
  #done: Promise<void> | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  /** Returns all reigns until now, by the engines' logs, in the order of views. */
  reigns(): readonly Reign[] {
    const reigns = this.#world.pairs.flatMap(({ index, logFile }) =>
      [...readFileSync(logFile, 'utf8').matchAll(LEADING)].map(([, view, why = '']) => ({
        view: Number(view),
        index,
        why,
      })),
    );
    return reigns.sort((one, other) => one.view - other.view);
  }

  /** Checks that each view has one leader, the replica whose turn it was. */
  checkLeaders(): readonly Reign[] {
    const { pairs, history } = this.#world;
    const reigns = this.reigns();
    for (const [i, { view, index }] of reigns.entries()) {
      const before = reigns[i - 1];
      if (before?.view === view)
        history.wrong.push(`${before.index} and ${index} led in view ${view}`);
      if (view % pairs.length !== index)
        history.wrong.push(`${index} led in view ${view}, which is another one's`);
    }
    return reigns;
  }

  async #run(): Promise<void> {
    const { pairs, disks, history } = this.#world;
    while (!this.#stopped) {
      for (const pair of pairs) {
        const { peaks } = this;
        peaks.engineBytes = Math.max(peaks.engineBytes, pair.memory('engine')?.most ?? 0);
        peaks.etcdBytes = Math.max(peaks.etcdBytes, pair.memory('etcd')?.most ?? 0);
        if (!pair.mayEnd) peaks.diskBytes = Math.max(peaks.diskBytes, disks.usedBytes(pair.index));
        const status = await pair.status();
        if (status === undefined) continue;
        const known = this.#hashes.get(status.op);
        if (known !== undefined && known !== status.stateHash)
          history.wrong.push(`replica ${pair.index} has another state at op ${status.op}`);
        this.#hashes.set(status.op, status.stateHash);
        if (status.warnings.includes(EngineWarning.halted) && !this.#stopped) {
          history.wrong.push(`replica ${pair.index} halted`);
          return;
        }
      }
      await sleep(EVERY_MS);
    }
  }
}
