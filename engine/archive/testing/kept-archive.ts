/** Archives of earlier releases, as `test/fixtures/archives` keeps them, and what they restore to. */
import { createHash } from 'node:crypto';
import type { StateMachine } from '../../ledger/state-machine.ts';
import type { CheckpointPosition } from '../../log/log.ts';
import { MemoryStorage } from '../../log/testing/memory-storage.ts';
import { Executor } from '../../replica/executor.ts';
import { newLedger } from '../../replica/new-ledger.ts';
import { batchSizeLimitProduction } from '../../wire/limits.ts';
import { engineRelease } from '../../wire/release.ts';
import { parseKeys } from '../installation-keys.ts';
import { Archive } from '../moments.ts';
import { restoreMoment } from '../restore-moment.ts';
import { SealedStore } from '../sealed-store.ts';
import { contentsOf, RESTORED } from './ledger-file.ts';
import { MemoryStore } from './memory-store.ts';

export interface KeptArchives {
  readonly writtenBy: string;
  readonly databases: readonly KeptArchive[];
}

export interface KeptArchive {
  readonly databaseId: string;
  /** Keys of the installation, as their file has them; absent: the archive is plain. */
  readonly keys?: string;
  /** Operations with the hash of the state after them, as the engine told it. */
  readonly states: readonly { readonly op: number; readonly stateHash: string }[];
  readonly backups: readonly { readonly backupId: string; readonly sha256: string }[];
  /** Digest of all that the ledger holds after the last of them. */
  readonly contents: string;
  /** The objects of the bucket, in base64. */
  readonly objects: Readonly<Record<string, string>>;
}

/** An archive with two backups of data files. */
export interface KeptFiles extends Pick<KeptArchive, 'databaseId' | 'keys' | 'objects'> {
  /** Digests of its record and of its files. */
  readonly backup: {
    readonly backupId: string;
    readonly sha256: string;
    readonly files: readonly string[];
  };
  /** The one that was removed. */
  readonly removed: string;
}

export function storeOf(
  { keys, objects }: Pick<KeptArchive, 'keys' | 'objects'>,
  store = new MemoryStore(),
): SealedStore {
  for (const [key, bytes] of Object.entries(objects))
    store.objects.set(key, new Uint8Array(Buffer.from(bytes, 'base64')));
  return new SealedStore(store, keys === undefined ? undefined : parseKeys(keys));
}

/** Restores a database as it was after an operation. */
export async function restoredAt(
  store: SealedStore,
  databaseId: string,
  op: number,
): Promise<{ readonly position: CheckpointPosition; readonly ledger: StateMachine }> {
  const archive = await Archive.read(store, databaseId);
  const ledger = newLedger(2 ** 34);
  const identity = { clusterId: 9n, replicaIndex: 0, replicaCount: 1 };
  const batchSizeLimit = batchSizeLimitProduction;
  const position = await restoreMoment({
    store,
    plan: await archive.plan({ kind: 'op', op }),
    to: RESTORED,
    identity,
    release: engineRelease,
    logSizeBytes: 64 << 10,
    storage: new MemoryStorage(),
    newReplayer: () => new Executor({ ledger, identity, batchSizeLimit }),
  });
  return { position, ledger };
}

export const digestOf = (ledger: StateMachine): string =>
  createHash('sha256').update(contentsOf(ledger).join('\n')).digest('hex');
