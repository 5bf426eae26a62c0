/**
 * Checks a history of many clients and the ledger's contents at its end:
 *
 * - an acknowledged request was executed once, at its op and timestamp, and its answer is that of a single ledger which
 *   executes everything in the order of timestamps: one order for all;
 * - a request with unknown outcome was executed as a whole, at one moment, or not at all;
 * - a pending transfer expires when its time has come, and no timestamp is ahead of the true time when a client gets
 *   it (history.ts): together, nothing is released early;
 * - timestamps rise with ops; no request is ordered before an answer that any client had when the request was sent;
 * - a read shows the ledger after the op that it names, which is never before an answer that any client had;
 * - the contents at the end are the result of all this, byte for byte, and the balances are the sums of the transfers.
 *
 * Together that is linearizability of the whole ledger, and cheap to decide, because answers name the place that they have in
 * the order. The ledger that executes everything once more is the engine's own, alone, which is held against the reference
 * ledger elsewhere (engine/ledger/model.test.ts); the balances are counted here by hand.
 */
import { StateMachine } from '../../engine/ledger/state-machine.ts';
import { Operation, shapeOf } from '../../engine/wire/operations.ts';
import { splitMultiBatch } from '../../engine/wire/multi-batch.ts';
import { accountsIn, contentsOf, eventsIn, transfersIn, type Contents } from './contents.ts';
import type { History, Read, Write } from './history.ts';

export interface Verdict {
  /** Differences found, one text each; empty if there are none. */
  readonly differences: readonly string[];
  readonly acknowledged: number;
  readonly reads: number;
  readonly unknownExecuted: number;
  readonly unknownNot: number;
  readonly pulses: number;
  /** State hash of a ledger that executed every known request. Equal to the replicas' if nothing else was logged. */
  readonly stateHash: string;
  /** Returns one line for each operation in order, and for each request with unknown outcome that was not found. */
  readonly order: () => readonly string[];
}

interface Step {
  readonly timestamp: bigint;
  readonly op: number | undefined;
  readonly write: Write | undefined;
}

const DIFFERENCES_MAX = 20;
const EXPIRED = 4n;
/** Transfers that expire by one pulse have a timestamp each, a nanosecond apart; the pulse's own is the last one. */
const EXPIRED_TOGETHER_MAX = 8190n;

export async function judge(history: History, contents: Contents): Promise<Verdict> {
  const differences: string[] = [];
  const wrong = (what: string): void => {
    if (differences.length < DIFFERENCES_MAX) differences.push(what);
  };
  for (const each of history.wrong) wrong(each);
  const unknown = history.writes.filter((write) => write.told === undefined);
  const times = creationTimes(contents);
  const found = unknown.flatMap((write) => executedUnknown(write, times));
  const pulses = pulsesIn(contents);
  const steps: Step[] = [...acknowledgedSteps(history), ...found, ...pulses].sort((a, b) =>
    a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0,
  );
  checkOrder(steps, wrong);
  const ledger = new StateMachine({ memoryLimitBytes: 2 ** 33 });
  replay(ledger, { steps, reads: history.reads, wrong });
  const expected = await contentsOf((operation, body) => ledger.read(operation, body).slice());
  const unlike = compareContents(expected, contents);
  checkBalances(contents, wrong);
  checkExpiries(contents, wrong);
  return {
    // Missing and unexpected contents are the most telling differences.
    differences: [...unlike, ...differences],
    acknowledged: history.writes.length - unknown.length,
    reads: history.reads.length,
    unknownExecuted: found.length,
    unknownNot: unknown.length - found.length,
    pulses: pulses.length,
    stateHash: Buffer.from(ledger.stateHash()).toString('hex'),
    order: () => [
      ...steps.map(line),
      ...unknown
        .filter((write) => !found.some((step) => step.write === write))
        .map((write) => `not found: ${line({ timestamp: 0n, op: undefined, write })}`),
    ],
  };
}

function line({ timestamp, op, write }: Step): string {
  const bytes = write?.body().length ?? 0;
  const first = Buffer.from(write?.body().subarray(0, 16) ?? [])
    .reverse()
    .toString('hex');
  const what = write === undefined ? 'pulse' : `operation ${write.operation} of ${write.who}`;
  const after = write === undefined ? '' : `; sent after op ${write.floor.op}`;
  return `${timestamp} op ${op ?? '?'}: ${what}, ${bytes} bytes, first id ${first}${after}`;
}

function compareContents(expected: Contents, contents: Contents): readonly string[] {
  const unlike: string[] = [];
  for (const part of ['accounts', 'transfers', 'events'] as const)
    if (Buffer.compare(expected[part], contents[part]) !== 0)
      unlike.push(
        `${part}: ${contents[part].length} bytes are there, and not the ${expected[part].length} that the history makes`,
      );
  const without = (one: Contents, other: Contents): readonly bigint[] => {
    const ids = new Set(transfersIn(other).map(({ id }) => id));
    return transfersIn(one).flatMap(({ id }) => (ids.has(id) ? [] : [id]));
  };
  for (const [what, ids] of [
    ['are missing', without(expected, contents)],
    ['should not be there', without(contents, expected)],
  ] as const)
    if (ids.length > 0)
      unlike.push(`${ids.length} transfers ${what}, first ${ids[0]?.toString(16)}`);
  return unlike;
}

function acknowledgedSteps({ writes }: History): Step[] {
  return writes.flatMap((write) =>
    write.told === undefined ? [] : [{ timestamp: write.told.timestamp, op: write.told.op, write }],
  );
}

/** When accounts and transfers were created, by id; accounts' ids are kept apart by their sign. */
function creationTimes(contents: Contents): ReadonlyMap<bigint, bigint> {
  return new Map([
    ...accountsIn(contents).map(({ id, timestamp }) => [-id, timestamp] as const),
    ...transfersIn(contents).map(({ id, timestamp }) => [id, timestamp] as const),
  ]);
}

/** The step of a write with unknown outcome, if its first event's record exists; else an empty list. */
function executedUnknown(write: Write, times: ReadonlyMap<bigint, bigint>): Step[] {
  if (write.operation === Operation.register) return [];
  const [events] = splitMultiBatch(write.body(), 128) ?? [];
  if (events === undefined) return [];
  const view = new DataView(events.buffer, events.byteOffset, events.length);
  const id = view.getBigUint64(0, true) | (view.getBigUint64(8, true) << 64n);
  const isAccounts = write.operation === Operation.createAccounts;
  const first = times.get(isAccounts ? -id : id);
  if (first === undefined) return [];
  const timestamp = first + BigInt(events.length / 128 - 1);
  return [{ timestamp, op: undefined, write }];
}

/** The pulses of the ledger. Expired transfers have adjacent timestamps; the last of each run has the pulse's own. */
function pulsesIn(contents: Contents): Step[] {
  const times = eventsIn(contents)
    .filter((event) => event['type'] === EXPIRED)
    .map((event) => event['timestamp']!);
  return times.flatMap((timestamp, i) =>
    times[i + 1] === timestamp + 1n ? [] : [{ timestamp, op: undefined, write: undefined }],
  );
}

function checkOrder(steps: readonly Step[], wrong: (what: string) => void): void {
  let op = 0;
  for (const [i, step] of steps.entries()) {
    const { write, timestamp } = step;
    const name = `the write of ${write?.who ?? 'nobody'} at timestamp ${timestamp}`;
    if (i > 0 && steps[i - 1]!.timestamp === timestamp) wrong(`${name} is not alone there`);
    if (write !== undefined && timestamp <= write.floor.timestamp)
      wrong(`${name} came before what was known when it was sent, ${write.floor.timestamp}`);
    if (step.op === undefined) continue;
    if (step.op <= op) wrong(`${name} is at op ${step.op}, and an earlier timestamp at ${op}`);
    if (write !== undefined && step.op <= write.floor.op)
      wrong(`${name} is at op ${step.op}; when it was sent, ${write.floor.op} was known`);
    op = Math.max(op, step.op);
  }
}

/** Executes all steps once more and compares every answer. */
function replay(
  ledger: StateMachine,
  {
    steps,
    reads,
    wrong,
  }: { steps: readonly Step[]; reads: readonly Read[]; wrong: (what: string) => void },
): void {
  const waiting = [...reads].sort((a, b) => a.op - b.op);
  for (const read of waiting)
    if (read.op < read.floor.op)
      wrong(
        `a read of ${read.who} saw op ${read.op}; when it was sent, ${read.floor.op} was known`,
      );
  let next = 0;
  /** Reads not checked yet: they may come before or after steps whose op no client knows. */
  let open: Read[] = [];
  let timestamp = 0n;
  const look = (): void => {
    open = open.filter(
      (read) =>
        read.floor.timestamp > timestamp ||
        Buffer.compare(ledger.read(read.operation, read.body), read.result) !== 0,
    );
  };
  /** Everything up to `op` was executed. */
  const close = (op: number): void => {
    while (next < waiting.length && waiting[next]!.op < op) {
      open.push(waiting[next]!);
      next += 1;
    }
  };
  const nextOps = nextKnownOps(steps);
  for (const [i, step] of steps.entries()) {
    if (step.op !== undefined) {
      for (const read of open) reportRead(read, wrong);
      open = [];
    }
    execute(ledger, step, wrong);
    timestamp = step.timestamp;
    // Reads at this op, or at one after it whose entry is not known, up to the next op that is.
    if (step.op !== undefined) close(nextOps[i]!);
    if (open.length > 0) look();
  }
  for (const read of open) reportRead(read, wrong);
  for (const read of waiting.slice(next)) reportRead(read, wrong);
}

/** For each step, the next op after it that a client was told. */
function nextKnownOps(steps: readonly Step[]): readonly number[] {
  const next: number[] = [];
  let op = Infinity;
  for (let i = steps.length - 1; i >= 0; i -= 1) {
    next[i] = op;
    op = steps[i]!.op ?? op;
  }
  return next;
}

function reportRead(read: Read, wrong: (what: string) => void): void {
  wrong(
    `a read of ${read.who} (operation ${read.operation}) at op ${read.op} shows what the ledger was not after that op`,
  );
}

function execute(ledger: StateMachine, step: Step, wrong: (what: string) => void): void {
  const { write, timestamp } = step;
  if (write?.operation === Operation.register) return;
  let answer: Uint8Array;
  try {
    answer =
      write === undefined
        ? ledger.commit(Operation.pulse, timestamp, new Uint8Array(0))
        : ledger.commit(write.operation, timestamp, write.body());
  } catch (error) {
    wrong(`timestamp ${timestamp} cannot follow: ${String(error)}`);
    return;
  }
  if (write?.told === undefined) return;
  if (Buffer.compare(answer, write.told.body) !== 0)
    wrong(
      `the write of ${write.who} at timestamp ${timestamp} was answered as it cannot be there${firstUnlike(write, answer)}`,
    );
}

function firstUnlike(write: Write, answer: Uint8Array): string {
  const size = shapeOf(write.operation)?.resultSize ?? 16;
  const told = write.told?.body ?? new Uint8Array(0);
  const i = told.findIndex((byte, at) => byte !== answer[at]);
  return ` (${told.length} bytes, of ${answer.length}; result ${Math.floor(i / size)} differs)`;
}

/** Checks that nothing expires before its time, by the timestamps of the log. */
function checkExpiries(contents: Contents, wrong: (what: string) => void): void {
  const byId = new Map(transfersIn(contents).map((transfer) => [transfer.id, transfer]));
  for (const event of eventsIn(contents)) {
    if (event['type'] !== EXPIRED) continue;
    const pending = byId.get(event['transfer_id']!);
    const due = (pending?.timestamp ?? 0n) + (pending?.timeout ?? 0n) * 1_000_000_000n;
    if (event['timestamp']! + EXPIRED_TOGETHER_MAX < due)
      wrong(
        `transfer ${pending?.id} expired at ${event['timestamp']}, and its time comes at ${due}`,
      );
  }
}

/** Checks that the accounts' balances are the sums of the transfers and expiries. */
function checkBalances(contents: Contents, wrong: (what: string) => void): void {
  const zero = () => ({ dp: 0n, dd: 0n, cp: 0n, cc: 0n });
  const sums = new Map(accountsIn(contents).map(({ id }) => [id, zero()]));
  const transfers = transfersIn(contents);
  const byId = new Map(transfers.map((transfer) => [transfer.id, transfer]));
  const release = (pendingId: bigint): void => {
    const pending = byId.get(pendingId);
    if (pending === undefined) {
      wrong(`transfer ${pendingId} was resolved and is not there`);
      return;
    }
    sums.get(pending.debit_account_id)!.dp -= pending.amount;
    sums.get(pending.credit_account_id)!.cp -= pending.amount;
  };
  for (const { flags, amount, pending_id, debit_account_id, credit_account_id } of transfers) {
    const [debit, credit] = [sums.get(debit_account_id)!, sums.get(credit_account_id)!];
    const isPending = (flags & 2n) !== 0n;
    if ((flags & 12n) !== 0n) release(pending_id);
    if ((flags & 8n) !== 0n) continue;
    debit[isPending ? 'dp' : 'dd'] += amount;
    credit[isPending ? 'cp' : 'cc'] += amount;
  }
  for (const event of eventsIn(contents))
    if (event['type'] === EXPIRED) release(event['transfer_id']!);
  for (const account of accountsIn(contents)) {
    const { dp, dd, cp, cc } = sums.get(account.id)!;
    const isSame =
      account.debits_pending === dp &&
      account.debits_posted === dd &&
      account.credits_pending === cp &&
      account.credits_posted === cc;
    if (!isSame) wrong(`the balances of account ${account.id} are not the sums of its transfers`);
  }
}
