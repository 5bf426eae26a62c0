/**
 * Makes a replica's data file as the database was at a moment: the backup before it, and the log from there on. The file
 * appears only when everything is verified and durable.
 */
import { beginAfter, type Moment } from '../../domain/recovery.ts';
import { DataFile } from '../log/data-file.ts';
import { diskStorage } from '../log/disk-storage.ts';
import { alreadyExists, checkIdentity, createEmpty } from '../log/format-file.ts';
import { FORMAT_VERSION_OF_COPIES, isOfClients } from '../log/layout.ts';
import type { CheckpointPosition, ReplicaIdentity } from '../log/log.ts';
import { logSizeOf } from '../log/restore.ts';
import type { Storage } from '../log/storage.ts';
import { type Checkpointed, isDerived } from '../ledger/checkpoint.ts';
import type { MomentPlan } from './moments.ts';
import type { ObjectStore } from './object-store.ts';
import { replayLog, type Replayer } from './replay-log.ts';
import { restoreBackup } from './restore-backup.ts';

export interface MomentOptions {
  readonly store: ObjectStore;
  readonly plan: MomentPlan;
  readonly to: string;
  readonly identity: ReplicaIdentity;
  /** Release that writes the file: major << 16 | minor << 8 | patch. */
  readonly release: number;
  readonly newReplayer: () => Replayer;
  /** The end of the history whose place the state takes in the same database; absent: the state begins with its own number. */
  readonly follows?: Moment | undefined;
  readonly logSizeBytes?: number;
  readonly storage?: Storage;
}

/** Resolves with the state that was made. Rejects with `already_exists` if there is a file at `to`. */
export async function restoreMoment(options: MomentOptions): Promise<CheckpointPosition> {
  const { to, identity, storage = diskStorage } = options;
  checkIdentity(identity);
  if (await storage.exists(to)) throw alreadyExists(to);
  const working = `${to}.replay`;
  await removeAll(storage, working);
  try {
    await makeBase(options, working, storage);
    const position = await replayInto(options, working, storage);
    await storage.publish(working, to);
    return position;
  } finally {
    await removeAll(storage, working);
  }
}

/** An earlier try may have been killed. */
async function removeAll(storage: Storage, working: string): Promise<void> {
  for (const path of [working, `${working}.lock`])
    if (await storage.exists(path)) await storage.remove(path);
}

async function makeBase(options: MomentOptions, to: string, storage: Storage): Promise<void> {
  const { store, plan, identity, release } = options;
  const logSizeBytes = options.logSizeBytes ?? logSizeOf(identity);
  if (plan.base === undefined)
    await createEmpty({ path: to, identity, release, logSizeBytes, storage });
  else {
    const { record } = plan.base;
    await restoreBackup({ store, record, to, identity, release, logSizeBytes, storage });
  }
}

async function replayInto(
  { store, plan, release, newReplayer, follows }: MomentOptions,
  path: string,
  storage: Storage,
): Promise<CheckpointPosition> {
  const replayer = newReplayer();
  const failed = (error: Error): void => {
    throw error;
  };
  const data = await DataFile.open({ path, release, storage, onFailure: failed });
  try {
    replayer.loaded(await data.load(replayer.state));
    await replayLog(store, plan, replayer, data.pages);
    const reached = replayer.position();
    if (plan.segments.length === 0 && follows === undefined) return reached;
    const position = { ...reached, ...(follows && beginAfter(reached, follows)) };
    data.beginCheckpoints({
      ring: undefined,
      pause: () => Promise.resolve(),
      // A ledger whose index did not fit into memory has it in the file. Older releases could not hold it either.
      ...(data.hasDerived ? {} : { formatVersion: FORMAT_VERSION_OF_COPIES }),
    });
    await data.checkpoint(forAnother(replayer.state), position);
    return position;
  } finally {
    await data.close();
  }
}

/** Clients of the source have no session in the new database, and older releases do not know derived tables. */
const forAnother = (state: Checkpointed): Checkpointed => ({
  takeDelta: (rewrite) =>
    state.takeDelta(rewrite).filter(({ table }) => !isOfClients(table) && !isDerived(table)),
  stored: (derived, rewritten) => state.stored(derived, rewritten),
  loadSection: (head, chunks) => state.loadSection(head, chunks),
  finishLoad: (pause) => state.finishLoad(pause),
});
