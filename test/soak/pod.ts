/**
 * A memory limit like a pod's: a group of the memory controller of cgroups v1 within this process's own group. The kernel
 * counts all that the processes in it take, sockets' buffers and pages of files too, and kills one when nothing more can be
 * freed.
 */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup/memory';

export class Pod {
  readonly #own: string;
  readonly #group: string;

  private constructor(own: string) {
    this.#own = own;
    this.#group = join(own, `ledgerhouse-soak-${process.pid}`);
  }

  /** Returns `undefined` without such a controller, or without the rights for it. */
  static make(limitBytes: number): Pod | undefined {
    const own = /^\d+:memory:(.+)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
    if (own === undefined) return undefined;
    const pod = new Pod(join(ROOT, own));
    try {
      mkdirSync(pod.#group);
    } catch {
      return undefined;
    }
    writeFileSync(join(pod.#group, 'memory.limit_in_bytes'), String(limitBytes));
    return pod;
  }

  /** Processes that `begin` starts are in the pod. This process is, too, until `begin` resolves. */
  async within<T>(begin: () => Promise<T>): Promise<T> {
    this.#enter(this.#group);
    try {
      return await begin();
    } finally {
      this.#enter(this.#own);
    }
  }

  /** How often the kernel killed a process because the limit was reached. */
  get kills(): number {
    const said = readFileSync(join(this.#group, 'memory.oom_control'), 'utf8');
    return Number(/^oom_kill (\d+)$/m.exec(said)?.[1] ?? 0);
  }

  /** Call when the pod's processes have ended. */
  remove(): void {
    rmdirSync(this.#group);
  }

  #enter(group: string): void {
    writeFileSync(join(group, 'cgroup.procs'), String(process.pid));
  }
}
