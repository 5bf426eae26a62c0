/**
 * Detects whether a ledger is full, or takes no writes for its last backup. The protocol cannot express it: such an engine drops
 * creates and gives the reason at `/status` (decisions 0014, 0140). The status is read when a write has had no answer for a moment,
 * and while that lasts. Below, a paused ledger counts as full.
 */
import type { Timers } from '../../base/timers.ts';
import {
  fullReason,
  isPaused,
  type EngineStatus,
  type FullReason,
  type Usage,
} from '../../domain/engine-status.ts';
import type { StatusFetch } from '../../domain/fetch-status.ts';
import { parseEngineStatus } from '../../domain/parse-engine-status.ts';

interface FullLedgerOptions {
  readonly timers: Timers;
  readonly fetchStatus: StatusFetch;
  /** URLs of `/status`, one for each replica. */
  readonly urls: () => readonly string[];
  /** Called when the ledger was found to be full during a write. */
  readonly onFull: (found: Full) => void;
}

/** Status of an engine whose ledger is full. */
export interface Full {
  readonly reason: FullReason | 'Paused';
  readonly status: EngineStatus;
}

export interface WriteRefusal {
  readonly code: 'ledger_full' | 'ledger_unavailable';
  readonly detail: string;
}

/** An engine answers a write within milliseconds. Its status is read after `askFirstMs`, then at growing intervals. */
const askFirstMs = 250;
const askMaxMs = 2_000;
const timeoutMs = 1_000;
/** A full ledger's status is read at this interval, for at most `lookForMs` after the last refused write. */
const lookEveryMs = 1_000;
const lookForMs = 60_000;

export class FullLedger {
  readonly #options: FullLedgerOptions;
  #full: Full | undefined;
  #cancel = () => {};
  /** Number of the current round. An answer that belongs to an earlier round is ignored. */
  #round = 0;
  #wantedAtMs = 0;

  constructor(options: FullLedgerOptions) {
    this.#options = options;
  }

  /** The refusal for the caller of a write; `undefined` if the ledger is not known to be full. */
  refusal(): WriteRefusal | undefined {
    if (this.#full === undefined) return undefined;
    this.#wantedAtMs = this.#options.timers.nowMs();
    return refusalFor(this.#full);
  }

  /** A write was sent; starts to watch it. */
  sent(): void {
    this.#after(askFirstMs, () => this.#ask(askFirstMs));
  }

  /** The write under way has ended. */
  ended(): void {
    if (this.#full === undefined) this.forget();
  }

  /** Forgets what is known about the ledger and stops asking. */
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
      if ('problem' in status) continue;
      const reason = isPaused(status) ? 'Paused' : fullReason(status);
      if (reason !== undefined) return { reason, status };
    }
    return undefined;
  }
}

const refusalFor = (full: Full): WriteRefusal =>
  full.reason === 'Paused'
    ? {
        code: 'ledger_unavailable',
        detail:
          'The database accepts no writes, because its last backup is being made. Nothing was executed, and reads go on.',
      }
    : { code: 'ledger_full', detail: fullDetail(full) };

function fullDetail({ reason, status: { memory, storage } }: Full): string {
  if (reason === 'RecordsAtLimit') {
    return (
      'The database has the largest number of records that an engine can hold. Nothing was executed, and reads go on. ' +
      'Write new records to another database.'
    );
  }
  const isMemory = reason === 'MemoryAtLimit';
  const used = isMemory ? memory : storage;
  return (
    `The database has no room for new records: its ${isMemory ? 'memory' : 'storage'} is full` +
    `${used === undefined ? '' : ` (${shown(used)})`}. Nothing was executed, and reads go on. ` +
    `Give the database ${isMemory ? 'a larger size' : 'more storage'}, then send the request again.`
  );
}

const shown = ({ usedBytes, limitBytes }: Usage): string =>
  `${mebibytes(usedBytes)} of ${mebibytes(limitBytes)} MiB`;
const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
