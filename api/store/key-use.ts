/** Notes when keys are used, without delaying those who use them: one write a minute and key at most, few at a time. */
import type { Logger } from 'pino';
import { noteApiKeyUse } from './api-keys.ts';
import type { Store } from './store.ts';

const everyMs = 60_000;
/** Keys remembered; beyond it the oldest are forgotten, which costs a statement that writes nothing. */
const keysMax = 10_000;
/** Writes under way; beyond it a use is not noted, which the next one makes up for. */
const writesMax = 4;

export class KeyUse {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #nowMs: () => number;
  readonly #notedAt = new Map<string, number>();
  #writing = 0;

  constructor(store: Store, logger: Logger, nowMs: () => number = Date.now) {
    this.#store = store;
    this.#logger = logger;
    this.#nowMs = nowMs;
  }

  note(keyId: string, use: { ip: string | null; userAgent: string | null }): void {
    const now = this.#nowMs();
    const before = this.#notedAt.get(keyId);
    if ((before !== undefined && now - before < everyMs) || this.#writing >= writesMax) return;
    this.#notedAt.delete(keyId);
    this.#notedAt.set(keyId, now);
    const [oldest] = this.#notedAt.keys();
    if (this.#notedAt.size > keysMax && oldest !== undefined) this.#notedAt.delete(oldest);
    this.#writing += 1;
    noteApiKeyUse(this.#store.read, keyId, use)
      .catch((error: unknown) => {
        this.#logger.debug({ err: error }, 'the use of a key was not noted');
        this.#notedAt.delete(keyId);
      })
      .finally(() => {
        this.#writing -= 1;
      });
  }
}
