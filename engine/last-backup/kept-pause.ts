/**
 * A pause of writes that lasts while the last backup of several replicas is made: the backup then has everything that they acknowledged.
 * If this process dies, the pause ends by itself.
 */
import { sleep, type Timers } from '../../base/timers.ts';
import { ArchiveError } from '../archive/errors.ts';
import { ask } from '../peers/ask.ts';
import { helloFrame, type Hello } from '../peers/peer-messages.ts';
import type { PeerSecurity } from '../peers/peer-security.ts';
import {
  opOf,
  PAUSE_MS_MAX,
  pauseAnswerOf,
  type LastBackupQuestion,
  type Paused,
} from './questions.ts';

interface KeptPauseOptions {
  readonly clusterId: bigint;
  /** The replica whose data file is backed up. */
  readonly replicaIndex: number;
  readonly incarnation: number;
  /** Addresses of all replicas, in order. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  readonly security: PeerSecurity;
  readonly timers: Timers;
}

const PAUSE_MS = 10 * 60_000;
const RENEW_MS = 2 * 60_000;
const AGAIN_MS = 250;
/** Time for which a replica is asked without success: longer than the choice of a leader, or a large checkpoint. */
const PATIENCE_MS = 120_000;

export class KeptPause {
  readonly #options: KeptPauseOptions;
  readonly #over = new AbortController();
  #renewing: Promise<void> | undefined;

  constructor(options: KeptPauseOptions) {
    this.#options = options;
  }

  /** Begins the pause, and has everything before it written into the data file. Returns the op that nothing follows. */
  async begin(): Promise<number> {
    const { op } = await this.#pause(PAUSE_MS);
    this.#renewing = this.#renew();
    await this.#written(op);
    return op;
  }

  async #written(op: number): Promise<void> {
    const { timers, replicaIndex: replica } = this.#options;
    const endMs = timers.nowMs() + PATIENCE_MS;
    for (let problem = ''; ; await sleep(timers, AGAIN_MS)) {
      try {
        const at = opOf(await this.#ask(replica, { ask: 'checkpoint' }));
        if (at !== undefined && at >= op) return;
        problem = `its newest checkpoint is at op ${at ?? 'unknown'}`;
      } catch (error) {
        problem = wordsOf(error);
      }
      if (timers.nowMs() >= endMs)
        throw refused(`replica ${replica} has not written op ${op} into its data file: ${problem}`);
    }
  }

  /**
   * Makes sure that the replicas still have the state that the backup has (an earlier pause may have ended before it was renewed),
   * and pauses for a day; the operator removes the replicas in that time.
   */
  async seal(stateHash: string): Promise<void> {
    await this.release();
    const paused = await this.#pause(PAUSE_MS);
    if (paused.stateHash !== stateHash)
      throw refused(
        'Writes were taken after the state that the backup has. Make another backup, under another name.',
      );
    await this.#pause(PAUSE_MS_MAX);
  }

  /** Ends the renewing: the pause ends by itself. */
  async release(): Promise<void> {
    this.#over.abort();
    await this.#renewing;
  }

  async #renew(): Promise<void> {
    const { timers } = this.#options;
    const { signal } = this.#over;
    for (;;) {
      await sleep(timers, RENEW_MS, signal);
      if (signal.aborted) return;
      // One that could not be renewed yet goes on for a while; the next round tries again.
      await this.#pause(PAUSE_MS).catch(() => undefined);
    }
  }

  /** Asks every replica until the leader has paused. */
  async #pause(milliseconds: number): Promise<Paused> {
    const { timers, addresses } = this.#options;
    const endMs = timers.nowMs() + PATIENCE_MS;
    for (let problem = 'no replica leads'; ; await sleep(timers, AGAIN_MS)) {
      for (const replica of addresses.keys()) {
        try {
          const answer = pauseAnswerOf(await this.#ask(replica, { ask: 'pause', milliseconds }));
          if (answer?.outcome === 'wait') problem = answer.reason;
          if (answer?.outcome === 'paused') return answer;
        } catch (error) {
          problem = `replica ${replica}: ${wordsOf(error)}`;
        }
      }
      if (timers.nowMs() >= endMs) throw refused(`writes cannot be paused: ${problem}`);
    }
  }

  #ask(replica: number, question: LastBackupQuestion): Promise<unknown> {
    const { clusterId, incarnation, addresses, security } = this.#options;
    const address = addresses[replica];
    if (address === undefined) throw refused(`there is no replica ${replica}`);
    // A replica answers only other replicas.
    const hello: Hello = {
      cluster: String(clusterId),
      incarnation,
      replica: (replica + 1) % addresses.length,
    };
    return ask({ address, security, hello: helloFrame(hello), question });
  }
}

const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const refused = (message: string): ArchiveError => new ArchiveError('writes_not_paused', message);
