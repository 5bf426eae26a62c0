/** The archived log of a database that moved to the rules of a newer release, which give its operations another meaning. */
import { beforeAll, expect, test } from '@jest/globals';
import type { StateMachine } from '../ledger/state-machine.ts';
import type { LedgerMark } from '../log/ledger-mark.ts';
import type { LogEntry } from '../log/log.ts';
import { MemoryStorage } from '../log/testing/memory-storage.ts';
import { Executor } from '../replica/executor.ts';
import { OneRuleLedger, TwoRulesLedger } from '../replica/testing/other-releases.ts';
import { accountsBody, transferBody } from '../replica/testing/records.ts';
import { buildRequest } from '../wire/header.ts';
import { batchSizeLimitProduction } from '../wire/limits.ts';
import { Operation } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { openArchive } from './archive.ts';
import { sha256 } from './chunk.ts';
import { segmentKey } from './keys.ts';
import { writeChainNote } from './log-chains.ts';
import { encodeSegment, NO_SEGMENT } from './log-segment.ts';
import { makeBackup } from './make-backup.ts';
import { Archive } from './moments.ts';
import { restoreMoment } from './restore-moment.ts';
import { DATABASE, RESTORED } from './testing/ledger-file.ts';
import { MemoryStore } from './testing/memory-store.ts';

const identity = { clusterId: 7n, replicaIndex: 0, replicaCount: 1 };
const [LAST, UPGRADE, SECOND_SEGMENT] = [12, 7, 5];
const memory = { memoryLimitBytes: 2 ** 28 };

const executorOf = (ledger: StateMachine) =>
  new Executor({ ledger, identity, batchSizeLimit: batchSizeLimitProduction });

function requestOf(operation: number, body: Uint8Array): Uint8Array {
  const parent = new Uint8Array(16);
  const client = { client: 1n, session: 1n, request: 1, parent };
  const head = buildRequest(
    { cluster: identity.clusterId, view: 0, release: engineRelease, operation, ...client },
    body,
  );
  return Uint8Array.from([...head, ...body]);
}

/** Accounts, transfers, and among them the entry that moves to the rules 2. */
function messageOf(op: number, executor: Executor): Uint8Array {
  if (op === 1) return requestOf(Operation.createAccounts, accountsBody(1, 2));
  if (op === UPGRADE) return executor.upgradeMessage(2, 0);
  return requestOf(Operation.createTransfers, transferBody(op));
}

const store = new MemoryStore();
const marks: LedgerMark[] = [];

beforeAll(async () => {
  const executor = executorOf(new TwoRulesLedger(memory));
  const entries: LogEntry[] = [];
  for (let op = 1; op <= LAST; op += 1) {
    const timestamp = 1_800_000_000_000_000_000n + BigInt(op) * 1_000n;
    const entry = { op, timestamp, view: 0, message: messageOf(op, executor) };
    executor.apply(entry);
    entries.push(entry);
    const { accounts, transfers } = executor.ledger.counts();
    marks.push({ op, timestamp, stateHash: executor.ledger.stateHash(), accounts, transfers });
  }
  await openArchive(store, DATABASE, identity.clusterId);
  const begin = { databaseId: DATABASE, line: 1 };
  const begunAt = new Date(0).toISOString();
  await writeChainNote(store, { ...begin, firstOp: 1, follows: 'start', begunAt });
  let previous = NO_SEGMENT;
  for (const [first, end] of [
    [1, SECOND_SEGMENT],
    [SECOND_SEGMENT, LAST + 1],
  ] as const) {
    const isIn = ({ op }: { readonly op: number }) => op >= first && op < end;
    const content = { entries: entries.filter(isIn), marks: marks.filter(isIn) };
    const object = await encodeSegment({ ...begin, previous }, content);
    await store.create(segmentKey(DATABASE, 1, first), object);
    previous = sha256(object).toString('hex');
  }
});

async function restored(op: number, ledger: StateMachine) {
  const storage = new MemoryStorage();
  const plan = await (await Archive.read(store, DATABASE)).plan({ kind: 'op', op });
  const options = { store, plan, to: RESTORED, identity, release: engineRelease, storage };
  const newReplayer = () => executorOf(ledger);
  const position = await restoreMoment({ ...options, logSizeBytes: 64 << 10, newReplayer });
  return { position, plan, storage };
}

const hashAt = (op: number) => marks[op - 1]?.stateHash;

test('a log that moves to newer rules in the middle of a segment comes back at each operation, by the rules of that operation', async () => {
  expect(hashAt(UPGRADE)).not.toEqual(hashAt(UPGRADE - 1));
  for (let op = 1; op <= LAST; op += 1) {
    const { position } = await restored(op, new TwoRulesLedger(memory));
    expect({ op, hash: position.stateHash }).toEqual({ op, hash: hashAt(op) });
  }
});

test('a release that does not know the rules restores the moments before them, and names them after that', async () => {
  const before = await restored(UPGRADE - 1, new OneRuleLedger(memory));
  expect(before.position.stateHash).toEqual(hashAt(UPGRADE - 1));
  await expect(restored(UPGRADE + 1, new OneRuleLedger(memory))).rejects.toMatchObject({
    code: 'unknown_rules',
    message: expect.stringContaining('rules 2 of the ledger'),
  });
});

test('a backup that was made after the move goes on by the newer rules', async () => {
  const baseOp = UPGRADE + 2;
  const { storage } = await restored(baseOp, new TwoRulesLedger(memory));
  const file = await storage.open(RESTORED, { exclusive: false });
  const own = { databaseId: DATABASE, backupId: 'after', opMin: baseOp };
  const now = () => new Date(0);
  await makeBackup({ file, store, ...own, full: false, seals: false, now });
  const { position, plan } = await restored(LAST, new TwoRulesLedger(memory));
  expect(plan.base?.record.op).toBe(baseOp);
  expect(position.stateHash).toEqual(hashAt(LAST));
});
