/**
 * A test restore without a disk: it fetches and verifies every object of a backup, and loads the rows into a ledger in the same
 * way as a replica loads its data file, which checks that they fit together.
 */
import { SectionKind } from '../ledger/checkpoint.ts';
import { CheckpointError, TableId } from '../ledger/checkpoint-tables.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import { ArchiveError } from './errors.ts';
import type { ObjectStore } from './object-store.ts';
import { readSections } from './paged-rows.ts';
import { fetchTable } from './read-rows.ts';
import type { BackupRecord } from './record.ts';

/** Loads a backup into an empty ledger. Rejects with ArchiveError that names the object at fault, or `state_rejected`. */
export async function verifyBackup(
  store: ObjectStore,
  record: BackupRecord,
  ledger: StateMachine,
): Promise<void> {
  try {
    for (const table of record.tables) {
      // As pages, the rows leave memory once they were seen.
      for (const { head, chunks } of readSections(fetchTable(store, record, table), table))
        await ledger.loadSection(head, chunks);
    }
    await loadHead(record, ledger);
    await ledger.finishLoad(() => new Promise((resolve) => setImmediate(resolve)));
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    throw rejected(record, error.message, error);
  }
  const stateHash = Buffer.from(ledger.stateHash()).toString('hex');
  if (stateHash !== record.stateHash) throw rejected(record, `its state hash is ${stateHash}`);
}

async function loadHead({ inline }: BackupRecord, ledger: StateMachine): Promise<void> {
  const found = inline.find(({ table }) => table === TableId.head);
  if (found === undefined) return;
  const { table, rowSize, bytes: text } = found;
  const bytes = Buffer.from(text, 'base64');
  const rowCount = bytes.length / rowSize;
  const chunks = (async function* () {
    yield await Promise.resolve(new Uint8Array(bytes));
  })();
  await ledger.loadSection(
    { kind: SectionKind.replace, table, rowSize, firstRow: 0, rowCount },
    chunks,
  );
}

const rejected = (
  { backupId, stateHash }: BackupRecord,
  what: string,
  cause?: unknown,
): ArchiveError =>
  new ArchiveError(
    'state_rejected',
    `The rows of backup ${backupId} do not make the ledger of state hash ${stateHash}: ${what}. Restore another backup, and keep this one for examination.`,
    { cause },
  );
