/**
 * Records unsuccessful attempts of valid credentials in the audit log: attempts that the credential does not allow, and
 * permitted changes that were refused. The first of a minute for each credential, operation, kind and reason is written at once, so that
 * nobody can fill the log; how many followed is written at the end of the minute, so that none hides behind another.
 */
import type { Logger } from 'pino';
import { systemTimers, type Timers } from '../../base/timers.ts';
import type { ProblemCode } from '../model/problems.ts';
import type { Author } from '../model/actor.ts';
import type { Store } from '../store/store.ts';
import type { Principal } from './principal.ts';

const quietMs = 60_000;
/** Beyond them each attempt is written: the limits of requests bound their number. */
const quietMax = 10_000;

export interface Denial {
  readonly principal: Principal;
  readonly author: Author;
  /** Name of the operation. */
  readonly action: string;
  readonly code: ProblemCode;
  /** `DENIED`: the credential does not allow it. `FAILED`: it does, and the change was refused for another reason. */
  readonly outcome: 'DENIED' | 'FAILED';
}

interface Quiet {
  /** Attempts after the one that was written. */
  repeated: number;
  last: Denial;
  readonly cancel: () => void;
}

export class Denials {
  readonly #store: Pick<Store, 'change'>;
  readonly #logger: Logger;
  readonly #timers: Timers;
  readonly #quiet = new Map<string, Quiet>();
  readonly #writes = new Set<Promise<void>>();

  constructor(store: Pick<Store, 'change'>, logger: Logger, timers: Timers = systemTimers) {
    this.#store = store;
    this.#logger = logger;
    this.#timers = timers;
  }

  /** Not awaited: the answer does not depend on the write. */
  tell(denial: Denial): void {
    const { principal, action, code, outcome } = denial;
    const name = `${principal.credentialId} ${action} ${outcome} ${code}`;
    const quiet = this.#quiet.get(name);
    if (quiet !== undefined) {
      quiet.repeated += 1;
      quiet.last = denial;
      return;
    }
    if (this.#quiet.size < quietMax) {
      const cancel = this.#timers.after(quietMs, () => this.#end(name));
      this.#quiet.set(name, { repeated: 0, last: denial, cancel });
    }
    // An attempt that is not in the log keeps no other out of it.
    this.#write(denial, 0, () => this.#end(name));
  }

  /** Writes what was counted, and waits for all writes. */
  async stop(): Promise<void> {
    for (const name of this.#quiet.keys()) this.#end(name);
    await Promise.all(this.#writes);
  }

  #end(name: string): void {
    const quiet = this.#quiet.get(name);
    if (quiet === undefined) return;
    quiet.cancel();
    this.#quiet.delete(name);
    if (quiet.repeated > 0) this.#write(quiet.last, quiet.repeated, () => {});
  }

  #write(
    { principal, author, action, code, outcome }: Denial,
    repeated: number,
    failed: () => void,
  ): void {
    const isKey = principal.type === 'api_key';
    const write = this.#store
      .change(author, async (change) => {
        change.emit({
          organizationId: principal.organization.id,
          type: outcome === 'DENIED' ? 'access.denied' : 'request.failed',
          outcome,
          subject: {
            type: isKey ? 'api_key' : 'session',
            id: principal.credentialId,
            display: principal.name,
          },
          data: { action, code, ...(repeated > 0 && { repeated }) },
        });
      })
      .catch((error: unknown) => {
        this.#logger.warn(
          { err: error, action, code, outcome, repeated },
          'an attempt could not be written to the audit log',
        );
        failed();
      })
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }
}
