/**
 * Decides which test restore begins next. Each takes the memory of a database, so few run at a time, and at most one in a
 * namespace. The namespace that has waited longest comes first; after each of its tests its wait begins again.
 */
import type { KubeObject } from '../../base/kube/kube.ts';
import { uidOf } from '../../domain/names.ts';
import { LOOK_AGAIN_MS } from './environment.ts';

/** Most test restores at a time, over all databases. */
export const TESTS_MAX = 2;
/** A backup that has not asked for this time no longer waits. Waiting ones ask every ten seconds. */
const SILENT_MS = 6 * LOOK_AGAIN_MS;
/** Number of Jobs that are remembered: more never run. */
const JOBS_MAX = 4 * TESTS_MAX;
/** Time in which the Job of a begun test appears. */
const BEGIN_MS = 60_000;

interface Waiting {
  readonly namespace: string;
  readonly sinceMs: number;
  readonly askedMs: number;
}
interface Begun {
  readonly namespace: string;
  readonly atMs: number;
}

export class TestTurns {
  /** By the uids of backups. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #begun = new Map<string, Begun>();
  /** Times at which a pod of a Job was last seen running, by the uids of the Jobs; the newest Jobs last. */
  readonly #runs = new Map<string, number>();

  /** Whether the test of a backup may begin now. `running`: namespaces in which tests run. */
  ask(backup: KubeObject, running: ReadonlySet<string>, nowMs: number): boolean {
    this.#forget(nowMs);
    const uid = uidOf(backup);
    if (this.#begun.has(uid)) return true;
    const namespace = namespaceOf(backup);
    const sinceMs = this.#waiting.get(uid)?.sinceMs ?? nowMs;
    this.#waiting.set(uid, { namespace, sinceMs, askedMs: nowMs });
    if (!this.#next(running).includes(uid)) return false;
    this.#waiting.delete(uid);
    this.#begun.set(uid, { namespace, atMs: nowMs });
    this.#waitAnew(namespace, nowMs);
    return true;
  }

  /** A test that goes on with another Job keeps its turn until that appears. */
  keep(backup: KubeObject, nowMs: number): void {
    this.#begun.set(uidOf(backup), { namespace: namespaceOf(backup), atMs: nowMs });
  }

  end(backup: KubeObject, nowMs: number): void {
    this.#begun.delete(uidOf(backup));
    this.#waitAnew(namespaceOf(backup), nowMs);
  }

  noteRun(job: KubeObject, nowMs: number): void {
    this.#runs.delete(uidOf(job));
    this.#runs.set(uidOf(job), nowMs);
    const [oldest] = this.#runs.keys();
    if (oldest !== undefined && this.#runs.size > JOBS_MAX) this.#runs.delete(oldest);
  }

  /** When a pod of the Job was last seen running. Another process that led before may have seen one. */
  lastRunMs(job: KubeObject): number | undefined {
    return this.#runs.get(uidOf(job));
  }

  #forget(nowMs: number): void {
    for (const [uid, { askedMs }] of this.#waiting) {
      if (nowMs - askedMs > SILENT_MS) this.#waiting.delete(uid);
    }
    for (const [uid, { atMs }] of this.#begun) {
      if (nowMs - atMs > BEGIN_MS) this.#begun.delete(uid);
    }
  }

  /** The backups whose turn it is: one in each of the namespaces that have waited longest. */
  #next(running: ReadonlySet<string>): readonly string[] {
    const busy = new Set(running);
    for (const { namespace } of this.#begun.values()) busy.add(namespace);
    const free = TESTS_MAX - busy.size;
    if (free <= 0) return [];
    const first = new Map<string, string>();
    const inOrder = [...this.#waiting].toSorted(
      ([, one], [, other]) => one.sinceMs - other.sinceMs,
    );
    for (const [uid, { namespace }] of inOrder) {
      if (!busy.has(namespace) && !first.has(namespace)) first.set(namespace, uid);
    }
    return [...first.values()].slice(0, free);
  }

  #waitAnew(namespace: string, nowMs: number): void {
    for (const [uid, waiting] of this.#waiting) {
      if (waiting.namespace === namespace) this.#waiting.set(uid, { ...waiting, sinceMs: nowMs });
    }
  }
}

const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? '';
