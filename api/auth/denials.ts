/**
 * Records unsuccessful attempts of valid credentials in the audit log: attempts that the credential does not allow, and
 * permitted changes that were refused. Once a minute for each credential, operation and kind, so that nobody can fill the log.
 */
import type { Logger } from 'pino';
import { systemTimers } from '../../base/timers.ts';
import type { ProblemCode } from '../model/problems.ts';
import type { Author } from '../model/actor.ts';
import type { Store } from '../store/store.ts';
import type { Principal } from './principal.ts';
import { recentMap, type RecentMap } from './recent-map.ts';

const quietMs = 60_000;
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

export class Denials {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #told: RecentMap<true>;

  constructor(store: Store, logger: Logger, nowMs: () => number = () => systemTimers.nowMs()) {
    this.#store = store;
    this.#logger = logger;
    this.#told = recentMap(quietMax, quietMs, nowMs);
  }

  /** Not awaited: the answer does not depend on the write. */
  tell({ principal, author, action, code, outcome }: Denial): void {
    const name = `${principal.credentialId} ${action} ${outcome}`;
    if (this.#told.get(name) !== undefined) return;
    this.#told.set(name, true);
    const isKey = principal.type === 'api_key';
    this.#store
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
          data: { action, code },
        });
      })
      .catch((error: unknown) => {
        this.#logger.warn(
          { err: error, action, code, outcome },
          'an attempt could not be written to the audit log',
        );
      });
  }
}
