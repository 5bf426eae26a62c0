/** Watches the replicas during a run: memory, disks, state hashes, halted replicas. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineWarning } from '../../domain/engine-status.ts';
import type { World } from './player.ts';

const EVERY_MS = 500;

export interface Peaks {
  engineBytes: number;
  etcdBytes: number;
  diskBytes: number;
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

  /** Checks by the engines' logs that each view has one leader, the replica whose turn it was. */
  checkLeaders(): { readonly reigns: number } {
    const { pairs, history } = this.#world;
    const leaders = new Map<number, number>();
    for (const { index, logFile } of pairs) {
      for (const line of readFileSync(logFile, 'utf8').split('\n')) {
        const view = /"role":"leading","view":(\d+)/.exec(line)?.[1];
        if (view === undefined) continue;
        const other = leaders.get(Number(view));
        if (other !== undefined) history.wrong.push(`${other} and ${index} led in view ${view}`);
        if (Number(view) % pairs.length !== index)
          history.wrong.push(`${index} led in view ${view}, which is another one's`);
        leaders.set(Number(view), index);
      }
    }
    return { reigns: leaders.size };
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
