/** A ledger that is made in a working file, so that it may be larger than memory. The file is thrown away. */
import { stat } from 'node:fs/promises';
import type { StateMachine } from '../ledger/state-machine.ts';
import { DataFile } from '../log/data-file.ts';
import { diskStorage } from '../log/disk-storage.ts';
import { StorageFullError } from '../log/errors.ts';
import { createEmpty } from '../log/format-file.ts';
import { LOG_SIZE_MIN } from '../log/layout.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import type { Storage } from '../log/storage.ts';

export interface WorkingOptions {
  readonly ledger: StateMachine;
  /** Release that writes the file: major << 16 | minor << 8 | patch. */
  readonly release: number;
  /** Path of the working file, which must not exist. */
  readonly working: string;
  /** Maximum size of the working file; a larger one is a full disk. Default: as much as there is. */
  readonly roomBytes?: number;
  readonly storage?: Storage;
}

export interface RowsPosition {
  readonly op: number;
  readonly timestamp: bigint;
}

/** Writes the ledger, as it is at the position, into the file. */
export type WriteCheckpoint = (position: RowsPosition) => Promise<void>;

/** Removes the working file whatever comes of the work. */
export async function withoutWorkingFile<T>(
  { working, storage = diskStorage }: WorkingOptions,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } finally {
    for (const path of [working, `${working}.lock`])
      if (await storage.exists(path)) await storage.remove(path);
  }
}

/** Makes the file and lets `work` fill the ledger. The file is closed afterwards. */
export async function inWorkingFile<T>(
  options: WorkingOptions,
  identity: ReplicaIdentity,
  work: (data: DataFile, checkpoint: WriteCheckpoint) => Promise<T>,
): Promise<T> {
  const { ledger, release, working, storage = diskStorage } = options;
  await createEmpty({ path: working, identity, release, logSizeBytes: LOG_SIZE_MIN, storage });
  const failed = (error: Error): void => {
    throw error;
  };
  const data = await DataFile.open({ path: working, release, storage, onFailure: failed });
  try {
    await data.load(ledger);
    data.beginCheckpoints({ ring: undefined, pause: () => Promise.resolve() });
    return await work(data, async ({ op, timestamp }) => {
      const stateHash = ledger.stateHash();
      await data.checkpoint(ledger, { op, timestamp, view: 0, stateHash });
      await requireRoom(options);
    });
  } finally {
    await data.close();
  }
}

/** Rows leave memory with a checkpoint, and only then the file grows. */
async function requireRoom({ working, roomBytes = Infinity }: WorkingOptions): Promise<void> {
  if (roomBytes === Infinity) return;
  const { size } = await stat(working);
  if (size > roomBytes) throw new StorageFullError(`${working} has ${size} bytes`);
}
