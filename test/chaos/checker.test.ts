/** Tests of the checker: histories that a ledger made, and the same histories with one error each, which it must find. */
import { expect, test } from '@jest/globals';
import { StateMachine } from '../../engine/ledger/state-machine.ts';
import { encodeMultiBatch } from '../../engine/wire/multi-batch.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { concatenate } from '../support/engine/ledger/records.ts';
import { seeded } from '../support/prng.ts';
import { judge } from './checker.ts';
import { contentsOf, transfersIn, type Contents } from './contents.ts';
import { History, type Floor, type Write } from './history.ts';
import { Requests, type Request } from './requests.ts';
import { TrueTime } from './true-time.ts';

const START = 1_800_000_000_000_000_000n;
const SECOND = 1_000_000_000n;

interface Made {
  history: History;
  contents: Contents;
}

/** Makes a history of clients that use a ledger in turn, with a session, expiries, and requests without an answer. */
class Maker {
  readonly history = new History();
  readonly ledger = new StateMachine({ memoryLimitBytes: 2 ** 32 });
  readonly requests = new Requests(1, seeded(7));
  op = 0;
  timestamp = START;

  constructor() {
    this.#acknowledge(this.history.begin('a', Operation.register, () => new Uint8Array(0)));
    this.write(Requests.accounts());
  }

  write(request = this.requests.write(), { lost = false } = {}): Write {
    const write = this.history.begin('a', request.operation, request.body);
    const body = this.execute(request);
    if (lost) return write;
    this.#acknowledge(write, body);
    request.acknowledged?.();
    return write;
  }

  execute({ operation, body }: Request): Uint8Array {
    this.op += 1;
    this.timestamp += SECOND / 10n + 8192n;
    return this.ledger.commit(operation, this.timestamp, body()).slice();
  }

  pulse(): void {
    const due = this.ledger.nextExpiry();
    if (due === undefined || due > this.timestamp) return;
    this.execute({ operation: Operation.pulse, body: () => new Uint8Array(0) });
  }

  read(): void {
    const { operation, body } = this.requests.read();
    const floor = this.history.floor;
    const result = this.ledger.read(operation, body()).slice();
    this.history.read({ who: 'a', operation, body: body(), floor, op: this.op, result }, 0);
  }

  async end(): Promise<Made> {
    const contents = await contentsOf((operation, body) =>
      this.ledger.read(operation, body).slice(),
    );
    return { history: this.history, contents };
  }

  #acknowledge(write: Write, body: Uint8Array = new Uint8Array(64)): void {
    if (write.operation === Operation.register) this.op += 1;
    this.history.acknowledged(write, { op: this.op, timestamp: this.timestamp, body }, 0);
  }
}

function maker(): Maker {
  const made = new Maker();
  for (let i = 0; i < 120; i += 1) {
    made.write(undefined, { lost: i % 17 === 3 });
    made.pulse();
    made.read();
  }
  return made;
}

const differencesIn = async ({ history, contents }: Made): Promise<readonly string[]> =>
  (await judge(history, contents)).differences;

/** Replaces a write of the history with a changed copy. */
function change(history: History, write: Write, by: Partial<Write>): void {
  history.writes[history.writes.indexOf(write)] = { ...write, ...by };
}

const acknowledgedTransfers = (history: History): Write[] =>
  history.writes.filter(({ told, operation }) => told && operation === Operation.createTransfers);

test('the history of a correct ledger has no difference and explains its state', async () => {
  const made = maker();
  made.history.begin('b', Operation.createTransfers, made.requests.write().body);
  const { history, contents } = await made.end();
  const verdict = await judge(history, contents);
  expect(verdict.differences).toEqual([]);
  expect(verdict).toMatchObject({ unknownExecuted: 7, unknownNot: 1, reads: 120 });
  expect(verdict.pulses).toBeGreaterThan(3);
  expect(verdict.stateHash).toBe(Buffer.from(made.ledger.stateHash()).toString('hex'));
});

test('an acknowledged write that is not there is noticed', async () => {
  const made = maker();
  const { operation, body } = made.requests.write();
  const write = made.history.begin('a', operation, body);
  const told = { op: made.op + 1, timestamp: made.timestamp + 10_000n, body: new Uint8Array(32) };
  made.history.acknowledged(write, told, 0);
  expect(await differencesIn(await made.end())).not.toEqual([]);
});

test('a request that was executed twice is noticed, whichever of the answers was told', async () => {
  const made = maker();
  const { operation, body } = made.requests.write();
  const write = made.history.begin('a', operation, body);
  made.execute({ operation, body });
  const second = made.execute({ operation, body });
  made.history.acknowledged(write, { op: made.op, timestamp: made.timestamp, body: second }, 0);
  expect(await differencesIn(await made.end())).not.toEqual([]);
});

test('an unknown request of which a part is there is noticed', async () => {
  const made = maker();
  // One request with two transfers whose ids are certainly new.
  const [one, other] = [made.requests.bulk(), made.requests.bulk()].map(({ body }) =>
    body().slice(0, 128),
  );
  const body = encodeMultiBatch([concatenate([one!, other!])], 128);
  made.history.begin('a', Operation.createTransfers, () => body);
  made.execute({ operation: Operation.createTransfersUnbatched, body: () => one! });
  expect(await differencesIn(await made.end())).not.toEqual([]);
});

test('two acknowledgements of one op, and timestamps that do not rise with ops, are noticed', async () => {
  const made = maker();
  const [one, other] = acknowledgedTransfers(made.history).slice(20);
  change(made.history, one!, { told: { ...one!.told!, op: other!.told!.op! } });
  expect(await differencesIn(await made.end())).not.toEqual([]);
});

test('an answer with another result than the order allows is noticed', async () => {
  const made = maker();
  const [write] = acknowledgedTransfers(made.history).slice(30);
  const body = write!.told!.body.slice();
  body[8] = body[8]! ^ 1;
  change(made.history, write!, { told: { ...write!.told!, body } });
  expect(await differencesIn(await made.end())).not.toEqual([]);
});

const later = (floor: Floor): Floor => ({ op: floor.op + 3, timestamp: floor.timestamp + SECOND });

test('a read that misses a write acknowledged before it was sent is noticed', async () => {
  const made = maker();
  const read = made.history.reads[50]!;
  made.history.reads[50] = { ...read, floor: later(read.floor) };
  expect(await differencesIn(await made.end())).not.toEqual([]);
});

test('a read that misses what an official client was told, which knows no ops, is noticed', async () => {
  const made = maker();
  const read = made.history.reads[50]!;
  const floor = { op: read.floor.op, timestamp: read.floor.timestamp + SECOND };
  made.history.reads[50] = { ...read, floor };
  expect(await differencesIn(await made.end())).not.toEqual([]);
});

test('a write ordered before one that was acknowledged when it was sent is noticed', async () => {
  const made = maker();
  const [write] = acknowledgedTransfers(made.history).slice(40);
  change(made.history, write!, { floor: later(write!.floor) });
  expect(await differencesIn(await made.end())).not.toEqual([]);
});

test('a read that shows another state than the one after its op is noticed', async () => {
  const made = maker();
  const i = made.history.reads.findIndex(({ operation }) => operation === Operation.lookupAccounts);
  const read = made.history.reads[i]!;
  const result = read.result.slice();
  result[40] = result[40]! ^ 1;
  made.history.reads[i] = { ...read, result };
  expect(await differencesIn(await made.end())).not.toEqual([]);
});

test('a transfer that nobody asked for, and a balance that no transfer explains, are noticed', async () => {
  const stray = maker();
  stray.execute(stray.requests.write());
  expect(await differencesIn(await stray.end())).not.toEqual([]);
  const { history, contents } = await maker().end();
  const accounts = contents.accounts.slice();
  accounts[40] = accounts[40]! ^ 1;
  const differences = await differencesIn({ history, contents: { ...contents, accounts } });
  expect(differences).toContainEqual(expect.stringMatching(/not the sums/));
});

test('a pending transfer that expires before its time is noticed', async () => {
  const { history, contents } = await maker().end();
  const expiring = new Set(
    transfersIn(contents).flatMap(({ id, timeout }) =>
      timeout > 0n ? [BigInt.asUintN(64, id)] : [],
    ),
  );
  const transfers = contents.transfers.slice();
  const view = new DataView(transfers.buffer);
  for (let at = 0; at < transfers.length; at += 128)
    if (expiring.has(view.getBigUint64(at, true))) view.setUint32(at + 108, 3600, true);
  const differences = await differencesIn({ history, contents: { ...contents, transfers } });
  expect(differences).toContainEqual(expect.stringMatching(/expired at .* its time comes at/));
});

test('a write whose timestamp is an hour ahead of the true time is noticed when somebody is told', () => {
  const history = new History(new TrueTime(3));
  const write = history.begin('a', Operation.createTransfers, () => new Uint8Array(0));
  const timestamp = BigInt(Date.now() + 3_600_000) * 1_000_000n;
  history.acknowledged(write, { op: 1, timestamp, body: new Uint8Array(0) }, 0);
  expect(history.wrong).toContainEqual(expect.stringMatching(/ahead of the true time/));
});
