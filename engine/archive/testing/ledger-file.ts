/** A data file in memory with a real ledger under random load, backed up and restored. */
import { TableId } from '../../ledger/checkpoint-tables.ts';
import { StateMachine } from '../../ledger/state-machine.ts';
import { DataFile } from '../../log/data-file.ts';
import { exportCheckpoint, readWholeCheckpoint } from '../../log/export.ts';
import { createEmpty } from '../../log/format-file.ts';
import type { ReplicaIdentity } from '../../log/log.ts';
import { MemoryStorage } from '../../log/testing/memory-storage.ts';
import { Operation } from '../../wire/operations.ts';
import { ChangeEvent } from '../../wire/records.ts';
import { makeBackup, type MadeBackup, type MakeOptions } from '../make-backup.ts';
import type { ObjectStore, RangedStore } from '../object-store.ts';
import { restoreBackup } from '../restore-backup.ts';
import { restoreImport, type ImportOptions } from '../restore-import.ts';
import type { BackupRecord } from '../record.ts';

export const DATABASE = 'db_01h455vb4pex5vsknk084sn02q';
const IDENTITY = { clusterId: 7n, replicaIndex: 0, replicaCount: 1 };
const RELEASE = 4361;
export const PATH = '/disk/7_0.ledger';
export const RESTORED = '/disk/restored.ledger';
const MEMORY = 2 ** 34;
const EVENTS_A_READ = 2000;
const LOG_SIZE = 64 << 10;
/** Later than whatever a load does; a checkpoint's timestamp is that of its last operation. */
const EPOCH = 1_800_000_000_000_000_000n;

const open = async (storage: MemoryStorage, path: string, state: StateMachine) => {
  const data = await DataFile.open({
    path,
    release: RELEASE,
    storage,
    onFailure: (error) => {
      throw error;
    },
  });
  await data.load(state);
  data.beginCheckpoints({ ring: undefined, pause: async () => undefined });
  return data;
};

/** Whatever changes a ledger. */
export interface Load {
  readonly machine: StateMachine;
  step(): void;
}

export class LedgerFile {
  readonly storage: MemoryStorage;
  readonly load: Load;
  readonly #data: DataFile;
  op = 0;

  private constructor(storage: MemoryStorage, load: Load, data: DataFile) {
    this.storage = storage;
    this.load = load;
    this.#data = data;
  }

  static async create(load: Load): Promise<LedgerFile> {
    const storage = new MemoryStorage();
    const options = { path: PATH, identity: IDENTITY, release: RELEASE, logSizeBytes: LOG_SIZE };
    await createEmpty({ ...options, storage });
    return new LedgerFile(storage, load, await open(storage, PATH, load.machine));
  }

  get hash(): string {
    return Buffer.from(this.load.machine.stateHash()).toString('hex');
  }

  /** Works for some steps, then writes what is new into the data file. */
  async work(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) this.load.step();
    this.op += steps;
    const { machine } = this.load;
    const stateHash = machine.stateHash();
    const timestamp = EPOCH + BigInt(this.op) * 1_000n;
    await this.#data.checkpoint(machine, { op: this.op, timestamp, view: 0, stateHash });
  }

  /** The bytes of the file in the portable form. */
  async exported(): Promise<Uint8Array> {
    const file = await this.storage.open(PATH, { exclusive: false });
    const parts: Uint8Array[] = [];
    const write = (bytes: Uint8Array) => Promise.resolve(void parts.push(new Uint8Array(bytes)));
    await exportCheckpoint(await readWholeCheckpoint(file, PATH), { write }, this.storage);
    return new Uint8Array(Buffer.concat(parts));
  }

  async backUp(
    store: ObjectStore,
    backupId: string,
    options: Partial<MakeOptions> = {},
  ): Promise<MadeBackup> {
    const file = await this.storage.open(PATH, { exclusive: false });
    const now = () => new Date(0);
    const base = { databaseId: DATABASE, backupId, opMin: 0, full: false, seals: false };
    return makeBackup({ file, store, ...base, chunkBytes: 1_000, now, ...options });
  }
}

/** Makes a replica's file of staged ones, and loads it as a starting replica does. */
export async function imported(
  store: RangedStore,
  options: Pick<ImportOptions, 'importId' | 'sourceCluster' | 'identity' | 'state'>,
  release = RELEASE,
): Promise<{ readonly data: DataFile; readonly ledger: StateMachine }> {
  const storage = new MemoryStorage();
  const now = () => new Date(Number(EPOCH / 1_000_000n));
  const rest = { to: RESTORED, release, logSizeBytes: LOG_SIZE, storage, now };
  await restoreImport({ store, ...options, ...rest });
  const ledger = new StateMachine({ memoryLimitBytes: MEMORY });
  return { data: await open(storage, RESTORED, ledger), ledger };
}

/** Restores a backup and loads it as a starting replica does. */
export async function restored(
  store: ObjectStore,
  record: BackupRecord,
  identity: ReplicaIdentity = IDENTITY,
): Promise<{ readonly data: DataFile; readonly ledger: StateMachine }> {
  const storage = new MemoryStorage();
  const options = { to: RESTORED, release: RELEASE, logSizeBytes: LOG_SIZE };
  await restoreBackup({ store, record, identity, storage, ...options });
  const ledger = new StateMachine({ memoryLimitBytes: MEMORY });
  return { data: await open(storage, RESTORED, ledger), ledger };
}

/** All that a ledger holds: accounts as they were created, and every event with the balances after it. */
export function contentsOf(ledger: StateMachine): readonly string[] {
  const accounts = ledger.takeDelta(new Set([TableId.accounts]));
  const contents = accounts
    .filter(({ table }) => table === TableId.accounts)
    .flatMap(({ chunks }) => Array.from(chunks, (chunk) => Buffer.from(chunk).toString('hex')));
  for (let from = 0n; ;) {
    const filter = new DataView(new ArrayBuffer(64));
    filter.setBigUint64(0, from, true);
    filter.setUint32(16, EVENTS_A_READ, true);
    const events = ledger.read(Operation.getChangeEvents, new Uint8Array(filter.buffer));
    contents.push(Buffer.from(events).toString('hex'));
    if (events.length < EVENTS_A_READ * ChangeEvent.words * 4) return contents;
    const last = events.length - ChangeEvent.words * 4 + ChangeEvent.timestamp * 4;
    from = new DataView(events.buffer, events.byteOffset).getBigUint64(last, true) + 1n;
  }
}
