/**
 * Detects that this replica was replaced: its volume was believed lost, its member was removed, and now the volume is back.
 * etcd ends such a member as soon as it hears of the others, so it serves nothing. Only the others know that this is final; to
 * ask them, this replica must remember which member was its own.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { sleep, type Timers } from '../../base/timers.ts';
import { initialClusterPath, memoPath } from './files.ts';
import type { Etcd } from '../log/replicated/etcd.ts';

interface OwnMemberOptions {
  /** Path of the data file; the record stands beside it. */
  readonly path: string;
  readonly incarnation: number;
  readonly etcd: Pick<Etcd, 'status'>;
  readonly timers: Timers;
  /** Returns the cluster's members as another replica knows them; `undefined` when none answers. */
  readonly askOthers: () => Promise<readonly bigint[] | undefined>;
  /** Called at most once. */
  readonly onRemoved: () => void;
  /** Called when the record cannot be written. */
  readonly onError: (error: unknown) => void;
}

const LOOK_MS = 1000;
/** Number of checks without an answer that are normal while a member starts. */
const SILENT_LOOKS = 5;

/** Forgets the member at this path: a new data file has had none. */
export async function forgetMember(path: string): Promise<void> {
  await rm(memoPath(path), { force: true });
}

export class OwnMember {
  readonly #options: OwnMemberOptions;
  readonly #stopped = new AbortController();

  constructor(options: OwnMemberOptions) {
    this.#options = options;
    void this.#watch();
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #watch(): Promise<void> {
    const { etcd, timers, askOthers, onRemoved } = this.#options;
    const { signal } = this.#stopped;
    let remembered = await this.#recall();
    let noted = false;
    let silent = 0;
    while (!signal.aborted) {
      const status = await etcd.status({ timeoutMs: LOOK_MS, signal }).catch(() => undefined);
      if (signal.aborted) return;
      silent = status === undefined ? silent + 1 : 0;
      if (status !== undefined && !noted) {
        noted = true;
        remembered = status.memberId;
        await this.#remember(remembered);
      }
      if (remembered !== undefined && silent >= SILENT_LOOKS) {
        const members = await askOthers();
        if (signal.aborted) return;
        if (members !== undefined && !members.includes(remembered)) return onRemoved();
      }
      await sleep(timers, LOOK_MS, signal);
    }
  }

  async #recall(): Promise<bigint | undefined> {
    const text = await readFile(memoPath(this.#options.path), 'utf8').catch(() => '');
    const [incarnation, member] = text.trim().split(' ');
    const isOurs = Number(incarnation) === this.#options.incarnation;
    return isOurs && /^\d{1,20}$/.test(member ?? '') ? BigInt(member ?? '') : undefined;
  }

  /** Writes the record. If a crash tears it, it is written again: only an explanation depends on it. */
  async #remember(memberId: bigint): Promise<void> {
    const { path, incarnation, onError } = this.#options;
    try {
      await writeFile(memoPath(path), `${incarnation} ${memberId}\n`);
      await rm(initialClusterPath(path), { force: true });
    } catch (error) {
      onError(error);
    }
  }
}
