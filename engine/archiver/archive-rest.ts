/**
 * Archives the end of a closed file's log, which its archiver had not sent when both were stopped. Only the file has it: a database
 * that goes on from a backup of the file begins with a log of its own.
 */
import { cutText } from '../../base/cut-text.ts';
import { ArchiveError } from '../archive/errors.ts';
import { LiveRows } from '../archive/live-rows.ts';
import { FIRST_LINE } from '../archive/log-chains.ts';
import { segmentKey } from '../archive/keys.ts';
import type { ObjectStore, RangedStore } from '../archive/object-store.ts';
import { ArchiveFeed } from '../feed/archive-feed.ts';
import { TableId } from '../ledger/checkpoint-tables.ts';
import { LogRing } from '../log/ring.ts';
import { scanLog } from '../log/scan.ts';
import type { StorageFile } from '../log/storage.ts';
import { findEndFrom, findFirstOp } from './archive-end.ts';
import { Collector, placeAt } from './collector.ts';

interface ClosedFile {
  readonly file: StorageFile;
  readonly store: ObjectStore & RangedStore;
  readonly databaseId: string;
  readonly nowMs: () => number;
}

export interface RestOfLog {
  /** Operations that the archive lacked, and has now. */
  readonly archivedOps: number;
  /** Why it lacks operations of the file's log; absent if it lacks none. */
  readonly notArchived?: string;
  /** The first of them, which go on to the file's end; absent if the end of the archive is not known. */
  readonly notArchivedFromOp?: number;
}

/** The end of an archive, as it was found and as it has become. */
interface Sent {
  readonly from: number;
  to: number;
}

/**
 * Time for all of it. A change of shape waits for this, and its clients with it; the backup has every operation already, so that what is
 * missing in the end is only the moments between them. One request waits for less (commands/backup/make.ts).
 */
const WITHIN_MS = 180_000;
const MESSAGE_MAX = 300;
/** Nobody knows from which operation on both differ. */
const FOREIGN =
  'the archive ends with operations that the file does not have: the database returned to an older state, or another one archived after it';

/**
 * Goes on with what is archived, also after an earlier run that was interrupted, or sends nothing. A database that was never archived lacks
 * nothing; one whose log was not kept lacks what cannot be sent. A failure of the store is told in the result.
 */
export async function archiveRest(closed: ClosedFile): Promise<RestOfLog> {
  const { file, store, databaseId } = closed;
  const rows = await LiveRows.open(file);
  const toOp = rows.superblock.position.op;
  if (toOp === 0) return { archivedOps: 0 };
  let sent: Sent | undefined;
  const lacking = (message: string): RestOfLog => ({
    archivedOps: sent === undefined ? 0 : sent.to - sent.from,
    notArchived: cutText(message, MESSAGE_MAX),
    ...(sent !== undefined && message !== FOREIGN && { notArchivedFromOp: sent.to + 1 }),
  });
  try {
    // One request, in place of another reading of the whole ring.
    if ((await findFirstOp(store, { databaseId, line: FIRST_LINE })) === undefined)
      return { archivedOps: 0 };
    const { feed, oldestOp } = await feedOf(file, rows);
    // Without the archive's last operation in the file nothing shows that both have one history.
    const end = await findEndFrom(store, databaseId, Math.min(oldestOp, toOp));
    if (end === undefined)
      return lacking(
        `the file has its log from operation ${oldestOp} on, and the archive ends before`,
      );
    const from = Math.min(end.lastOp, toOp);
    sent = { from, to: from };
    const why = await sendAfter(closed, { feed, end, toOp, sent });
    return why === undefined ? { archivedOps: sent.to - sent.from } : lacking(why);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return lacking(error.message);
  }
}

/** The log of a file that no engine has open, with a mark of the state at its end. */
async function feedOf(
  file: StorageFile,
  { superblock, tables }: LiveRows,
): Promise<{ readonly feed: ArchiveFeed; readonly oldestOp: number }> {
  const { position } = superblock;
  const scan = await scanLog(file, superblock, () => undefined);
  const log = new LogRing({ file, superblock, scan, onFailure: () => undefined });
  const beginning = await log.read(0, 0);
  const countOf = (id: number) => tables.find(({ table }) => table === id)?.rowCount ?? 0;
  const feed = new ArchiveFeed({
    log,
    nowMs: () => 0,
    committedOp: () => position.op,
    leads: () => true,
    position: () => position,
    counts: () => ({
      accounts: countOf(TableId.accounts),
      transfers: countOf(TableId.transfers),
    }),
  });
  feed.tick();
  return { feed, oldestOp: 'oldestOp' in beginning ? beginning.oldestOp : 0 };
}

interface Sending {
  readonly feed: ArchiveFeed;
  readonly end: NonNullable<Awaited<ReturnType<typeof findEndFrom>>>;
  readonly toOp: number;
  readonly sent: Sent;
}

/** Sends what follows an end, until the archive has everything. Returns why it never will. */
async function sendAfter(
  { store, databaseId, nowMs }: ClosedFile,
  { feed, end, toOp, sent }: Sending,
): Promise<string | undefined> {
  const options = { databaseId, rpoMs: 0, nowMs: () => 0 };
  const endsAtMs = nowMs() + WITHIN_MS;
  let collector = new Collector(options, placeAt(end));
  for (;;) {
    // Also where nothing is left to send: an end that is as far, or farther, may be that of another history.
    const answer = await feed.read(collector.place);
    if (answer.kind === 'foreign') return FOREIGN;
    sent.to = Math.min(collector.place.op, toOp);
    if (sent.to === toOp) return undefined;
    if (nowMs() > endsAtMs) return `the store took longer than ${WITHIN_MS / 60_000} minutes`;
    if (answer.kind === 'part') collector.take(answer);
    const sealed = await collector.seal();
    if (sealed === undefined)
      return 'the log of the file does not go on from the end of the archive';
    const key = segmentKey(databaseId, FIRST_LINE, sealed.firstOp);
    if ((await store.create(key, sealed.object)) === 'created') continue;
    // Sent by an archiver that still lives, or by a request whose answer was lost. Wherever it ends, the next one follows it.
    const there = await findEndFrom(store, databaseId, sealed.firstOp);
    if (there === undefined) return 'the end of the archive was removed meanwhile';
    collector = new Collector(options, placeAt(there));
  }
}
