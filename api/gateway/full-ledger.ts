/**
 * Whether a ledger is full. The protocol has no word for it: an engine at its limit drops creates and says why at `/status`
 * (decision 0014). The status is asked when a write has been without an answer for a moment, and while the ledger is full.
 */
import type { Timers } from '../../base/timers.ts';
import {
  fullReason,
  type EngineStatus,
  type FullReason,
  type Usage,
} from '../../domain/engine-status.ts';
import type { StatusFetch } from '../../domain/fetch-status.ts';
import { parseEngineStatus } from '../../domain/parse-engine-status.ts';

export interface FullLedgerOptions {
  readonly timers: Timers;
  readonly fetchStatus: StatusFetch;
  /** `/status` of each replica. */
  readonly urls: () => readonly string[];
  /** The ledger was found to be full while a write was under way. */
  readonly onFull: (found: Full) => void;
}

/** What a full ledger's primary says. */
export interface Full {
  readonly reason: FullReason;
  readonly status: EngineStatus;
}

/** An engine answers a write within milliseconds; its status is asked after this long, then at growing distances. */
const askFirstMs = 250;
const askMaxMs = 2_000;
const timeoutMs = 1_000;
/** While it is full, room is looked for this often, and not longer than this after the last write that was refused. */
const lookEveryMs = 1_000;
const lookForMs = 60_000;

export class FullLedger {
  readonly #options: FullLedgerOptions;
  #full: Full | undefined;
  #cancel = () => {};
  /** Counts what was begun: the answer to an older question says nothing any more. */
  #round = 0;
  #wantedAtMs = 0;

  constructor(options: FullLedgerOptions) {
    this.#options = options;
  }

  /** What the caller of a write is told; `undefined` while the ledger takes writes, as far as is known. */
  refusal(): string | undefined {
    if (this.#full === undefined) return undefined;
    this.#wantedAtMs = this.#options.timers.nowMs();
    return fullDetail(this.#full);
  }

  /** A write is under way from now on. */
  sent(): void {
    this.#after(askFirstMs, () => this.#ask(askFirstMs));
  }

  /** The write that was under way is not any more. */
  ended(): void {
    if (this.#full === undefined) this.forget();
  }

  /** Nothing is known of the ledger any more. */
  forget(): void {
    this.#full = undefined;
    this.#round += 1;
    this.#cancel();
  }

  #after(ms: number, then: () => void): void {
    this.#cancel();
    this.#round += 1;
    this.#cancel = this.#options.timers.after(ms, then);
  }

  #ask(waitedMs: number): void {
    this.#find((found) => {
      const nextMs = Math.min(2 * waitedMs, askMaxMs);
      if (found === undefined) this.#after(nextMs, () => this.#ask(nextMs));
      else this.#keep(found);
    });
  }

  #keep(found: Full): void {
    const { timers, onFull } = this.#options;
    this.#wantedAtMs = timers.nowMs();
    this.#stay(found);
    onFull(found);
  }

  #stay(found: Full): void {
    this.#full = found;
    this.#after(lookEveryMs, () => this.#lookForRoom());
  }

  #lookForRoom(): void {
    const isWanted = this.#options.timers.nowMs() - this.#wantedAtMs < lookForMs;
    if (!isWanted) this.forget();
    else
      this.#find((found) => {
        if (found === undefined) this.forget();
        else this.#stay(found);
      });
  }

  #find(then: (found: Full | undefined) => void): void {
    const round = this.#round;
    void this.#askAll().then((found) => {
      if (round === this.#round) then(found);
    });
  }

  async #askAll(): Promise<Full | undefined> {
    const { urls, fetchStatus } = this.#options;
    const answers = await Promise.allSettled(
      urls().map((url) => fetchStatus(url, AbortSignal.timeout(timeoutMs))),
    );
    for (const answer of answers) {
      if (answer.status === 'rejected') continue;
      const status = parseEngineStatus(answer.value);
      const reason = 'problem' in status ? undefined : fullReason(status);
      if ('problem' in status || reason === undefined) continue;
      return { reason, status };
    }
    return undefined;
  }
}

function fullDetail({ reason, status: { memory, storage } }: Full): string {
  if (reason === 'RecordsAtLimit') {
    return (
      'The database holds as many records as an engine has numbers for. Nothing was executed, and reads go on. ' +
      'Write new records to another database.'
    );
  }
  const isMemory = reason === 'MemoryAtLimit';
  const used = isMemory ? memory : storage;
  return (
    `The database has no room for new records: its ${isMemory ? 'memory' : 'storage'} is full` +
    `${used === undefined ? '' : ` (${shown(used)})`}. Nothing was executed, and reads go on. ` +
    `Give the database ${isMemory ? 'a larger size' : 'more storage'}, then send it again.`
  );
}

const shown = ({ usedBytes, limitBytes }: Usage): string =>
  `${mebibytes(usedBytes)} of ${mebibytes(limitBytes)} MiB`;
const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
