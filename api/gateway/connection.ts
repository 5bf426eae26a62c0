/** A session with one cluster, and the one message that is under way in it. */
import type { Timers } from '../../base/timers.ts';
import { Client, type Address, type LinkFailure } from '../../engine/client/client.ts';
import { RequestWithdrawnError } from '../../engine/client/errors.ts';
import { encodeMultiBatch } from '../../engine/wire/multi-batch.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { encodeMessage, splitReply, type Call } from './call.ts';

export interface Target {
  readonly databaseId: string;
  readonly cluster: bigint;
  /** In the order of replica indexes. */
  readonly addresses: readonly Address[];
}

/** Why a connection is of no more use. */
export class BadReply extends Error {
  override readonly name = 'BadReply';
}

export interface ConnectionEvents {
  readonly onReady: (ready: boolean) => void;
  readonly onLinkFailure: (failure: LinkFailure) => void;
  /** Another message may be sent. */
  readonly onAnswer: (calls: readonly Call[], rows: readonly Uint8Array[], tookMs: number) => void;
  /** The calls were withdrawn: none of them was executed, or will be. Another message may be sent. */
  readonly onWithdrawn: (calls: readonly Call[]) => void;
  /** Said once. `calls`: what was under way. */
  readonly onEnd: (error: Error, calls: readonly Call[]) => void;
}

/**
 * A message without an answer for this long is given up, and the session with it: its callers were all answered long before,
 * and should the cluster have lost the request, only a new session goes on.
 */
const stuckMs = 60_000;
/** A full ledger answers the withdrawal of a write at once; one that does not may have executed the write. */
const withdrawalMaxMs = 5_000;

export class Connection {
  readonly openedAtMs: number;
  readonly #client: Client;
  readonly #timers: Timers;
  readonly #events: ConnectionEvents;
  #underWay: readonly Call[] = [];
  #sentAtMs = 0;
  #ended = false;
  #retiring = false;
  #cancelWithdrawal = () => {};
  wasReady = false;

  constructor(target: Target, timers: Timers, events: ConnectionEvents) {
    this.#timers = timers;
    this.#events = events;
    this.openedAtMs = timers.nowMs();
    this.#client = new Client({
      cluster: target.cluster,
      addresses: target.addresses,
      events: {
        onReady: (ready) => {
          this.wasReady ||= ready;
          if (!this.#ended) events.onReady(ready);
        },
        onLinkFailure: (failure) => {
          if (!this.#ended) events.onLinkFailure(failure);
        },
        onEnd: (error) => this.#end(error),
      },
    });
  }

  get ready(): boolean {
    return this.#client.ready;
  }

  /** Nothing is under way. */
  get idle(): boolean {
    return this.#underWay.length === 0;
  }

  /** What one message may hold, in bytes; known when ready. */
  get batchSizeLimit(): number {
    return this.#client.batchSizeLimit;
  }

  /** How long the message that is under way has been without an answer. */
  get silentMs(): number {
    return this.idle ? 0 : this.#timers.nowMs() - this.#sentAtMs;
  }

  send(calls: readonly Call[]): void {
    const [first] = calls;
    if (first === undefined) return;
    this.#underWay = calls;
    this.#sentAtMs = this.#timers.nowMs();
    this.#client
      .submit(first.request.operation.code, encodeMessage(calls), { timeoutMs: stuckMs })
      .then((reply) => this.#take(calls, reply))
      .catch((error: unknown) => {
        if (error instanceof RequestWithdrawnError) this.#withdrawn(calls);
        else this.#end(error instanceof Error ? error : new Error(String(error)));
      });
  }

  /**
   * Takes back what is under way. Its number is used for something that changes nothing: for several replicas an operation that
   * all of them log, since another one may lead when it is answered; a single one may have no room in its log, and reads.
   */
  withdraw(isOfSeveral: boolean): void {
    if (this.#ended || this.idle) return;
    if (isOfSeveral) this.#client.withdraw(Operation.noop, new Uint8Array(0));
    else this.#client.withdraw(Operation.lookupAccounts, encodeMultiBatch([new Uint8Array(0)], 16));
    this.#cancelWithdrawal();
    this.#cancelWithdrawal = this.#timers.after(withdrawalMaxMs, () => {
      this.#end(new Error('the ledger is full, and does not say whether the request was executed'));
    });
  }

  /** Lets what is under way come to its end, and takes nothing more. */
  retire(): void {
    this.#retiring = true;
    if (this.idle) this.close();
  }

  /** Ends without a word to its owner; gives what was under way. */
  close(): readonly Call[] {
    const calls = this.#underWay;
    this.#underWay = [];
    this.#ended = true;
    this.#cancelWithdrawal();
    this.#client.close();
    return calls;
  }

  #take(calls: readonly Call[], reply: Uint8Array): void {
    if (this.#ended) return;
    const rows = splitReply(calls, reply);
    if (rows === undefined) {
      this.#end(new BadReply('the reply is no answer to what was asked'));
      return;
    }
    const tookMs = this.silentMs;
    this.#underWay = [];
    this.#cancelWithdrawal();
    this.#events.onAnswer(calls, rows, tookMs);
    if (this.#retiring) this.close();
  }

  #withdrawn(calls: readonly Call[]): void {
    if (this.#ended) return;
    this.#underWay = [];
    this.#cancelWithdrawal();
    this.#events.onWithdrawn(calls);
    if (this.#retiring) this.close();
  }

  #end(error: Error): void {
    if (this.#ended) return;
    this.#events.onEnd(error, this.close());
  }
}

export function isSameTarget(a: Target, b: Target): boolean {
  return (
    a.cluster === b.cluster &&
    a.addresses.length === b.addresses.length &&
    a.addresses.every(({ host, port }, i) => {
      const other = b.addresses[i];
      return host === other?.host && port === other.port;
    })
  );
}
