/** Execution of committed blocks, in every role: the answers that follow from them, and the comparison of states. */
import type { Timers } from '../../base/timers.ts';
import type { LogEntry } from '../log/log.ts';
import type { Block } from '../log/replicated/block.ts';
import { Header, RequestHeader } from '../wire/header.ts';
import { Operation } from '../wire/operations.ts';
import { HaltedError } from './halted-error.ts';
import { ExecutionQueue } from './execution-queue.ts';
import type { HeldState } from './held-state.ts';
import type { LeaderRequests } from './leader-requests.ts';
import type { OwedAnswers } from './owed-answers.ts';
import type { PendingRequests } from './pending-requests.ts';
import type { RequestCounts } from './request-counts.ts';
import { FIRST_RULES, rulesOf, unknownRules } from './rules.ts';
import type { StateComparison } from './state-comparison.ts';

interface BlockExecutionParts {
  readonly timers: Timers;
  readonly state: HeldState;
  readonly leader: LeaderRequests;
  readonly pending: PendingRequests;
  readonly owed: OwedAnswers;
  readonly counts: RequestCounts;
  readonly comparison: StateComparison;
  /** Sends a heartbeat at once. */
  readonly tellPeers: () => void;
  /** Aborted when the replica stops. */
  readonly stopped: AbortSignal;
  /** Called when this replica must stop serving. */
  readonly onHalt: (error: HaltedError) => void;
}

/** Operations of entries that no client has asked for. */
const ownOperations = new Set<number>([Operation.pulse, Operation.upgrade, Operation.pause]);

/** Bytes of blocks that wait to be executed, above which a follower takes no more. */
const WAITING_BYTES_MAX = 32 << 20;

export class BlockExecution {
  readonly #parts: BlockExecutionParts;
  /** True if the log has entries with rules that this release does not know. */
  #unable = false;
  /** True if a request that a peer passed on is executed: the peer answers as soon as it learns how far the leader is. */
  #peersWait = false;
  readonly #queue: ExecutionQueue;
  #waitingBytes = 0;
  /** When the next operation began to wait for pages; `undefined` if it does not. */
  #lacksPagesSinceMs: number | undefined;

  constructor(parts: BlockExecutionParts) {
    this.#parts = parts;
    this.#queue = new ExecutionQueue({
      bring: (needs) => parts.state.bring(needs),
      onWait: (isWaiting) => {
        this.#lacksPagesSinceMs = isWaiting ? parts.timers.nowMs() : undefined;
      },
      onFailure: (error) => {
        parts.state.breaksOff();
        parts.onHalt(rowsDamaged(error));
      },
    });
    parts.stopped.addEventListener('abort', () => {
      this.#queue.stop();
      parts.state.breaksOff();
    });
  }

  /** Executes the block, after those before it. */
  committed(block: Block): void {
    const { state } = this.#parts;
    this.#waitingBytes += block.sizeBytes;
    this.#queue.push({
      mustWait: () => state.mustWaitForRows(),
      prepare: () => undefined,
      run: () => {
        if (this.#knowsRulesOf(block)) state.begins();
      },
    });
    for (const entry of block.entries) {
      this.#queue.push({
        prepare: () => (this.#unable ? undefined : state.executor.prepare(entry)),
        run: () => {
          if (!this.#unable) this.#execute(entry);
        },
      });
    }
    this.afterwards(() => {
      this.#waitingBytes -= block.sizeBytes;
      if (!this.#unable) this.#executed(block);
    });
  }

  /** For how long the next operation has waited for pages while something of the file is damaged; 0 if it does not. */
  get lacksPagesMs(): number {
    const { state, timers } = this.#parts;
    return state.isMending ? timers.nowMs() - (this.#lacksPagesSinceMs ?? timers.nowMs()) : 0;
  }

  /** Whether so much waits that no more should come now. */
  get isBusy(): boolean {
    return this.#waitingBytes > WAITING_BYTES_MAX;
  }

  /** Calls `run` when everything that was committed before is executed. */
  afterwards(run: () => void): void {
    this.#queue.push({ prepare: () => undefined, run });
  }

  #executed(block: Block): void {
    const { state, leader, owed, comparison, tellPeers } = this.#parts;
    state.executed(block);
    const { op } = state.executor;
    comparison.executed(op, state.hash);
    if (leader.leads) {
      owed.ledUpTo(op);
      if (this.#peersWait) tellPeers();
      this.#peersWait = false;
      // Not within the log's own call, which must return first.
      queueMicrotask(() => leader.consider());
    }
    state.checkpointWhenDue();
    if (comparison.isWrong) queueMicrotask(() => this.haltIfDifferent());
  }

  /** Stops this replica if its state differs from that of so many others that it must be wrong. */
  haltIfDifferent(): void {
    const { comparison, onHalt } = this.#parts;
    if (!comparison.isWrong) return;
    const others = comparison.differing.join(' and ');
    onHalt(
      new HaltedError(
        'state_differs',
        `This replica's state differs from that of replicas ${others} at the same operation: its memory, its disk or the program is at fault. Bring it back with 'recover'; the others go on.`,
      ),
    );
  }

  /**
   * Returns whether all rules in a block are known. Otherwise nothing of it is executed, so that a checkpoint stays at the
   * end of the block before.
   */
  #knowsRulesOf(block: Block): boolean {
    if (this.#unable) return false;
    const { state, onHalt } = this.#parts;
    const { rulesMax } = state.executor.ledger;
    const unknown = block.entries.map(rulesOf).find((rules = FIRST_RULES) => rules > rulesMax);
    if (unknown === undefined) return true;
    this.#unable = true;
    const error = new HaltedError('unknown_rules', unknownRules(unknown, rulesMax));
    // Not within the log's own call, which must return first.
    queueMicrotask(() => onHalt(error));
    return false;
  }

  #execute(entry: LogEntry): void {
    const { state, leader, pending, owed, counts } = this.#parts;
    const request = new RequestHeader(new Header(entry.message));
    const { operation } = request;
    const reply = state.executor.apply(entry);
    const isOwn = ownOperations.has(operation);
    const waiting = isOwn ? undefined : pending.executed(request);
    leader.executed(operation, waiting);
    if (!isOwn) counts.count(operation);
    if (waiting === undefined || reply === undefined) return;
    const answer = (): void => {
      for (const sink of waiting.sinks) sink.send(reply);
    };
    // If this replica leads, the leader has executed the entry.
    this.#peersWait ||= waiting.forwardedUnder === Infinity;
    if (leader.leads) answer();
    else owed.when(entry.op, answer);
  }
}

const rowsDamaged = (error: unknown): HaltedError =>
  new HaltedError(
    'rows_damaged',
    `Rows that an operation needs cannot be read: ${(error as Error).message} Bring the replica back with 'recover'; the others go on.`,
  );
