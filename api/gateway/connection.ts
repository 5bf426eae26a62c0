/** A session with one cluster, with at most one message under way. */
import type { Timers } from '../../base/timers.ts';
import { Client, type Address, type LinkFailure, type Reply } from '../../engine/client/client.ts';
import { RequestWithdrawnError } from '../../engine/client/errors.ts';
import { encodeMultiBatch } from '../../engine/wire/multi-batch.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { encodeMessage, splitReply, type Call } from './call.ts';

export interface LedgerPlace {
  readonly databaseId: string;
  readonly cluster: bigint;
  /** In the order of replica indexes. */
  readonly addresses: readonly Address[];
}

export interface Target extends LedgerPlace {
  /** Version of the database's row: of two targets of a database, the one with the greater version is later. */
  readonly version: number;
  /** Looks where the database is by now. `undefined`: it cannot be said. */
  readonly again?: () => Promise<Target | undefined>;
}

/** The reply is no valid answer, so the connection cannot be used any more. */
export class BadReply extends Error {
  override readonly name = 'BadReply';
}

export interface Answer {
  /** One for each call. */
  readonly rows: readonly Uint8Array[];
  readonly tookMs: number;
  readonly timestamp: bigint;
}

interface ConnectionEvents {
  readonly onReady: (ready: boolean) => void;
  readonly onLinkFailure: (failure: LinkFailure) => void;
  /** The calls were answered; another message may be sent. */
  readonly onAnswer: (calls: readonly Call[], answer: Answer) => void;
  /** The calls were withdrawn: none of them was executed, or will be. Another message may be sent. */
  readonly onWithdrawn: (calls: readonly Call[]) => void;
  /** Called once. `calls`: the calls that were under way. */
  readonly onEnd: (error: Error, calls: readonly Call[]) => void;
}

/**
 * A message without an answer for this long is given up together with its session. Its callers were all answered long before; if
 * the cluster has lost the request, only a new session can go on.
 */
const stuckMs = 60_000;
/** A full ledger answers the withdrawal of a write at once; one that does not answer may have executed the write. */
const withdrawalMaxMs = 5_000;

export class Connection {
  readonly openedAtMs: number;
  readonly #client: Client;
  readonly #cluster: bigint;
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
    this.#cluster = target.cluster;
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

  /** True if no message is under way. */
  get idle(): boolean {
    return this.#underWay.length === 0;
  }

  /** Maximum size of one message in bytes; known once the connection is ready. */
  get batchSizeLimit(): number {
    return this.#client.batchSizeLimit;
  }

  /** Milliseconds for which the message under way has been without an answer. */
  get silentMs(): number {
    return this.idle ? 0 : this.#timers.nowMs() - this.#sentAtMs;
  }

  send(calls: readonly Call[]): void {
    const [first] = calls;
    if (first === undefined) return;
    this.#underWay = calls;
    this.#sentAtMs = this.#timers.nowMs();
    this.#client
      .ask(first.request.operation.code, encodeMessage(calls), { timeoutMs: stuckMs })
      .then((reply) => this.#take(calls, reply))
      .catch((error: unknown) => {
        if (error instanceof RequestWithdrawnError) this.#withdrawn(calls);
        else this.#end(error instanceof Error ? error : new Error(String(error)));
      });
  }

  /**
   * Withdraws the message under way: sends another operation, which changes nothing, with its number. Several replicas get an
   * operation that all of them log, since another one may lead when it is answered. A single replica gets a read, because its log
   * may have no room.
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

  /** Closes the connection when the message under way has ended. It takes no more messages. */
  retire(): void {
    this.#retiring = true;
    if (this.idle) this.close();
  }

  /** The message under way goes on at the cluster's new addresses as soon as the former ones are gone. */
  follow({ cluster, addresses }: Target): void {
    if (!this.#ended && cluster === this.#cluster) this.#client.follow(addresses);
  }

  /** Closes the connection without calling `onEnd`. Returns the calls that were under way. */
  close(): readonly Call[] {
    const calls = this.#underWay;
    this.#underWay = [];
    this.#ended = true;
    this.#cancelWithdrawal();
    this.#client.close();
    return calls;
  }

  #take(calls: readonly Call[], { body, timestamp }: Reply): void {
    if (this.#ended) return;
    const rows = splitReply(calls, body);
    if (rows === undefined) {
      this.#end(new BadReply('the reply does not answer the request'));
      return;
    }
    const tookMs = this.silentMs;
    this.#underWay = [];
    this.#cancelWithdrawal();
    this.#events.onAnswer(calls, { rows, tookMs, timestamp });
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
