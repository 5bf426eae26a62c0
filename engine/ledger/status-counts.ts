/** Numbers of accounts and transfers that were to be created, by their result. They count from the process's start. */
import { AccountStatus, TransferStatus } from '../wire/statuses.ts';
import { EventKind, RESULT_WORDS } from './execute-batch.ts';

/** Places of one kind; the first is that of created events, whose code is outside. */
const PLACES = 128;

export interface StatusCount {
  readonly operation: 'create_accounts' | 'create_transfers';
  readonly status: string;
  readonly count: number;
}

const kinds = [
  { kind: EventKind.account, operation: 'create_accounts', statuses: AccountStatus },
  { kind: EventKind.transfer, operation: 'create_transfers', statuses: TransferStatus },
] as const;

export class StatusCounts {
  readonly #counts = new Float64Array(2 * PLACES);

  /** Counts the dense results of a batch. */
  add(kind: EventKind, results: Uint32Array, count: number): void {
    const counts = this.#counts;
    const first = kind * PLACES;
    let created = 0;
    for (let at = 2; at < count * RESULT_WORDS; at += RESULT_WORDS) {
      const code = results[at]!;
      if (code >= PLACES) created += 1;
      else counts[first + code] = counts[first + code]! + 1;
    }
    counts[first] = counts[first]! + created;
  }

  /** Created events, and the statuses that occurred. */
  all(): readonly StatusCount[] {
    return kinds.flatMap(({ kind, operation, statuses }) =>
      Object.entries(statuses).flatMap(([status, code]) => {
        const count = this.#counts[kind * PLACES + Math.max(0, code)]!;
        return count === 0 && code > 0 ? [] : [{ operation, status, count }];
      }),
    );
  }
}
