/**
 * Proves a backup by the archived log: a replay from the state before it must come to its state hash and to its rows. That state
 * is the empty ledger if the log begins with the first operation and no earlier backup is there, otherwise the newest earlier
 * backup, whose rows are taken as they are.
 */
import type { ReplicaIdentity } from '../log/log.ts';
import { DataFileError } from '../log/errors.ts';
import { diskStorage } from '../log/disk-storage.ts';
import type { Storage } from '../log/storage.ts';
import { CheckpointError } from '../ledger/checkpoint-tables.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import { readRecord, recordKeys, type FoundRecord } from './archive.ts';
import { sha256 } from './chunk.ts';
import { ArchiveError, isLost } from './errors.ts';
import { segmentKey } from './keys.ts';
import { LiveRows } from './live-rows.ts';
import { readChains, type Chain } from './log-chains.ts';
import { decodeSegment } from './log-segment.ts';
import { momentOfRecord, segmentsFor, type MomentPlan } from './moments.ts';
import type { ObjectStore, RangedStore } from './object-store.ts';
import { plainBytes, type BackupRecord } from './record.ts';
import type { Replayer } from './replay-log.ts';
import { restoreMoment } from './restore-moment.ts';
import { verifyBackup } from './verify-backup.ts';

/** Why the log proves nothing about a backup. That is no damage of it. */
type WhyRowsOnly = 'NoLog' | 'OtherHistory' | 'BaseDamaged' | 'KeyMissing';

interface RowsOnly {
  readonly rowsOnly: { readonly reason: WhyRowsOnly; readonly message: string };
}

/** `replayedFrom`: the operation whose state the replay began with. */
type LogProof = { readonly replayedFrom: number } | RowsOnly;

interface ProofOptions {
  readonly store: ObjectStore & RangedStore;
  readonly record: BackupRecord;
  /** An earlier backup that is proven: the replay begins with it, or with one before it. By default it begins with the newest one. */
  readonly since?: string | undefined;
  /** Path of the scratch file, which must not exist. It is removed in the end. */
  readonly scratch: string;
  readonly release: number;
  /** Makes a replayer of an empty ledger. */
  readonly newReplayer: (identity: ReplicaIdentity) => Replayer;
  /** Makes an empty ledger, in which the beginning is tried out before a contradiction is told. */
  readonly newLedger: () => StateMachine;
  readonly logSizeBytes: number;
  /** Called while the log ends before the backup: its archiver may be about to send the rest. False: do not look again. */
  readonly waitForLog: () => Promise<boolean>;
  readonly storage?: Storage;
}

/**
 * Replays. Rejects with ArchiveError if the log and the backup contradict each other, or if a part of the log between both
 * states is damaged or missing.
 */
export async function proveLog(options: ProofOptions): Promise<LogProof> {
  const { store, record } = options;
  let before: { readonly error: unknown; readonly begin: string | undefined } | undefined;
  for (;;) {
    let begin: string | undefined;
    let base: FoundRecord | undefined;
    try {
      const plan = await planReplay(store, record, options.since);
      if ('rowsOnly' in plan) {
        if (plan.isBehind === true && (await options.waitForLog())) continue;
        return { rowsOnly: plan.rowsOnly };
      }
      ({ base } = plan);
      begin = `${base?.key} ${plan.segments[0]}`;
      if (begin === before?.begin) throw before.error;
      await replay(options, plan);
      return { replayedFrom: base?.record.op ?? 0 };
    } catch (error) {
      // The sweep deletes the oldest segments first: if the replay still begins with the same ones, it was not the sweep.
      if (!isLost(error) || (before !== undefined && begin === before.begin))
        return await withoutProof(options, base, error);
      before = { error, begin };
    }
  }
}

/** Returns the reason if the failure says nothing about the backup; otherwise throws. */
async function withoutProof(
  options: ProofOptions,
  base: FoundRecord | undefined,
  error: unknown,
): Promise<RowsOnly> {
  if (isOfFile(error)) return rowsOnly('BaseDamaged', error.message);
  if (!(error instanceof ArchiveError)) throw error;
  const { code, key, message } = error;
  if (code === 'key_missing' || code === 'keys_wrong') return rowsOnly('KeyMissing', message);
  if (!isContradiction(error)) throw error;
  if (key !== undefined && /\/(?:backups|rows)\//.test(key))
    return rowsOnly('BaseDamaged', message);
  const why = base && (await whyDamaged(options, base.record));
  if (why !== undefined) return rowsOnly('BaseDamaged', why);
  throw new ArchiveError(
    code,
    `The objects of backup ${options.record.backupId} are whole, but the archived log does not confirm it: ${message}`,
    { ...(key !== undefined && { key }), cause: error },
  );
}

/** Whether the scratch file does not hold together: the rows of the beginning do not, or the disk has lost some. */
const isOfFile = (error: unknown): error is Error =>
  error instanceof CheckpointError ||
  (error instanceof DataFileError &&
    (error.code === 'checkpoint_corrupt' || error.code === 'state_rejected'));

const isContradiction = (error: unknown): boolean =>
  isLost(error) ||
  (error instanceof ArchiveError &&
    (error.code === 'state_rejected' || error.code === 'archive_foreign'));

/** What is wrong with the backup with which the replay began: nobody may have tested it. */
async function whyDamaged(
  { store, newLedger }: ProofOptions,
  base: BackupRecord,
): Promise<string | undefined> {
  try {
    await verifyBackup(store, base, newLedger());
    return undefined;
  } catch (error) {
    if (isContradiction(error)) return (error as ArchiveError).message;
    throw error;
  }
}

async function planReplay(
  store: ObjectStore & RangedStore,
  record: BackupRecord,
  since: string | undefined,
): Promise<MomentPlan | (RowsOnly & { readonly isBehind?: boolean })> {
  const { databaseId, op } = record;
  const chains = await readChains(store, databaseId);
  const chain = chains.findLast(({ firstOp }) => firstOp <= op);
  const timestamp = chain && (await timestampAt(store, databaseId, chain, op));
  if (chain === undefined || timestamp === undefined) {
    const isBehind = chain !== undefined && chain === chains.at(-1);
    return { ...rowsOnly('NoLog', `the archived log does not have operation ${op}`), isBehind };
  }
  if (timestamp !== BigInt(record.timestamp)) {
    return rowsOnly(
      'OtherHistory',
      `the archived log has another operation ${op} than the backup: the database returned to an older state in between`,
    );
  }
  const { line, firstOp, segments } = chain;
  const earlier = chains[chains.indexOf(chain) - 1];
  const base = await baseOf(store, { record, since }, chain, earlier);
  if (base === undefined && firstOp !== 1)
    return rowsOnly(
      'NoLog',
      `no earlier backup is there from which the log, which begins with operation ${firstOp}, goes on`,
    );
  const used = segmentsFor(segments, (base?.record.op ?? 0) + 1, op);
  return { databaseId, moment: momentOfRecord(record), base, line, segments: used };
}

/** The newest earlier backup of the log's history that is at the operation of its key, among those up to `since` if one of them is there. */
async function baseOf(
  store: ObjectStore,
  { record, since }: Pick<ProofOptions, 'record' | 'since'>,
  chain: Chain,
  before: Chain | undefined,
): Promise<FoundRecord | undefined> {
  const { databaseId } = record;
  const earlier = (await recordKeys(store, databaseId)).filter(
    ({ op }) => op < record.op && op >= chain.firstOp - 1,
  );
  const proven = earlier.findIndex(({ backupId }) => backupId === since);
  const first = earlier.slice(0, proven + 1).toReversed();
  for (const { op, key } of [...first, ...earlier.toReversed()]) {
    const found = await readRecord(store, databaseId, key);
    const timestamp = await timestampAt(store, databaseId, chain, op);
    const isSame =
      found.record.op === op &&
      (timestamp === undefined || timestamp === BigInt(found.record.timestamp));
    // A log that begins anew right after the end of another one is that of another history, and goes on from no backup there.
    const isOther =
      op < chain.firstOp &&
      before !== undefined &&
      (await timestampAt(store, databaseId, before, op)) === BigInt(found.record.timestamp);
    if (isOther) continue;
    // Rows never vanish. A forged record with more of them could fill the disk.
    if (isSame && plainBytes(found.record) <= plainBytes(record)) return found;
  }
  return undefined;
}

/** The timestamp of an operation in the log; `undefined` if the chain does not have it. */
async function timestampAt(
  store: ObjectStore,
  databaseId: string,
  { line, segments }: Chain,
  op: number,
): Promise<bigint | undefined> {
  const holding = segments.findLast((firstOp) => firstOp <= op);
  if (holding === undefined) return undefined;
  const key = segmentKey(databaseId, line, holding);
  const { entries } = await decodeSegment(key, await store.read(key), databaseId);
  return entries.find((entry) => entry.op === op)?.timestamp;
}

async function replay(options: ProofOptions, plan: MomentPlan): Promise<void> {
  const { store, record, scratch, release, newReplayer, logSizeBytes } = options;
  const { storage = diskStorage } = options;
  const identity = { clusterId: BigInt(record.clusterId), replicaIndex: 0, replicaCount: 1 };
  const { stateHash } = await restoreMoment({
    store,
    plan,
    to: scratch,
    identity,
    release,
    newReplayer: () => newReplayer(identity),
    logSizeBytes,
    storage,
  });
  try {
    const hash = Buffer.from(stateHash).toString('hex');
    if (hash !== record.stateHash)
      throw differs(plan, `the state hash ${hash} in the place of ${record.stateHash}`);
    const file = await storage.open(scratch, { writable: false, exclusive: false });
    try {
      await compareRows(await LiveRows.open(file), record, plan);
    } finally {
      await file.close();
    }
  } finally {
    await storage.remove(scratch);
  }
}

async function compareRows(made: LiveRows, record: BackupRecord, plan: MomentPlan): Promise<void> {
  const { tables, inline } = record;
  for (const table of new Set([...tables, ...made.tables].map((one) => one.table))) {
    const { rowCount = 0, chunks = [] } = tables.find((one) => one.table === table) ?? {};
    const { rowCount: madeRows = 0 } = made.tables.find((one) => one.table === table) ?? {};
    if (madeRows !== rowCount)
      throw differs(plan, `${madeRows} rows of table ${table} in the place of ${rowCount}`);
    for (const chunk of chunks) {
      const bytes = await made.read(table, chunk.firstRow, chunk.rowCount);
      if (sha256(bytes).toString('hex') === chunk.sha256) continue;
      const last = chunk.firstRow + chunk.rowCount - 1;
      throw differs(plan, `other rows of table ${table}, between ${chunk.firstRow} and ${last}`);
    }
  }
  for (const table of new Set([...inline, ...made.inline].map((one) => one.table))) {
    const stored = inline.find((one) => one.table === table)?.bytes;
    const found = made.inline.find((one) => one.table === table)?.bytes;
    if (found === undefined || Buffer.from(found).toString('base64') !== stored)
      throw differs(plan, `another table ${table}`);
  }
}

const differs = ({ base, moment }: MomentPlan, what: string): ArchiveError =>
  new ArchiveError(
    'state_rejected',
    `The log up to operation ${moment.op}, replayed from ${base === undefined ? 'the empty ledger' : `backup ${base.record.backupId}`}, makes ${what}. Keep all of them for examination, and make a new backup.`,
  );

const rowsOnly = (reason: WhyRowsOnly, message: string): RowsOnly => ({
  rowsOnly: { reason, message },
});
