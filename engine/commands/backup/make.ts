import { makeBackup } from '../../archive/make-backup.ts';
import { plainBytes, storedBytes, type BackupRecord } from '../../archive/record.ts';
import { archiveRest, type RestOfLog } from '../../archiver/archive-rest.ts';
import { TableId } from '../../ledger/checkpoint-tables.ts';
import { diskStorage } from '../../log/disk-storage.ts';
import { readWholeCheckpoint } from '../../log/export.ts';
import type { StorageFile } from '../../log/storage.ts';
import { readSuperblock } from '../../log/superblock.ts';
import { systemTimers } from '../../../base/timers.ts';
import { KeptPause } from '../../last-backup/kept-pause.ts';
import type { FoundRecord } from '../../archive/archive.ts';
import { peerSecurity, peerSecurityFlags } from '../peer-security.ts';
import {
  parseAddress,
  parseAddresses,
  parseIncarnation,
  parseInteger,
  required,
} from '../values.ts';
import { UsageError, type Input, type Verb } from '../verb.ts';
import { resultFlag, tellResult } from './result.ts';
import { databaseIdOf, parseBackupId, storeFlags, withStore } from './store-flags.ts';

export const backup: Verb = {
  name: 'backup',
  summary: 'Back up a data file into a bucket, beside the engine that writes it.',
  arguments: ['path'],
  flags: [
    ...storeFlags,
    { name: 'id', value: 'name', help: 'name of the backup, unique for the database' },
    {
      name: 'status-address',
      value: 'address',
      help: "the running replica's status address: it is asked for a checkpoint first",
    },
    {
      name: 'op-min',
      value: 'op',
      help: 'instead: an op that the newest checkpoint must contain',
    },
    { name: 'stopped', value: undefined, help: 'instead: no engine has the file open' },
    {
      name: 'last',
      value: undefined,
      help: 'instead: the last backup of several replicas, which take no writes from then on for a day; reads --peer-addresses',
    },
    {
      name: 'peer-addresses',
      value: 'list',
      help: 'with --last: as for start',
    },
    { name: 'incarnation', value: 'count', help: 'with --last: as for start; 1 by default' },
    ...peerSecurityFlags,
    { name: 'full', value: undefined, help: 'verify and repair what earlier backups stored' },
    resultFlag,
  ],
  run(input) {
    const [path = ''] = input.arguments;
    const databaseId = databaseIdOf(input);
    const backupId = parseBackupId('id', required(input.flag('id'), 'id'));
    return tellResult(input, async () => {
      const way = wayOf(input);
      const started = performance.now();
      const file = await diskStorage.open(path, { writable: false, exclusive: way === 'stopped' });
      const pause = way === 'last' ? await pauseOf(input, file) : undefined;
      try {
        if (way === 'stopped') await readWholeCheckpoint(file, path);
        const opMin = pause === undefined ? await opThatMustBeThere(input) : await pause.begin();
        const full = input.flag('full') !== undefined;
        const made = await withStore(input, (store) =>
          makeBackup({
            file,
            store,
            databaseId,
            backupId,
            opMin,
            full,
            seals: store.seals,
            now: () => new Date(),
          }),
        );
        const rest = way === 'stopped' ? await restOf(input, file, databaseId) : {};
        await pause?.seal(made.record.stateHash);
        const seconds = Math.round(performance.now() - started) / 1_000;
        const { newObjects, newBytes } = made;
        return { ...summaryOf(made), newObjects, newBytes, ...rest, seconds };
      } finally {
        await pause?.release();
        await file.close();
      }
    });
  },
};

/** Clients wait for it, and the backup is whole without it. */
const REST_PATIENCE_SECONDS = 60;

/** Archives the end of the file's log. */
const restOf = (input: Input, file: StorageFile, databaseId: string): Promise<RestOfLog> =>
  withStore(
    input,
    (store) => archiveRest({ file, store, databaseId, nowMs: () => performance.now() }),
    { atMostSeconds: REST_PATIENCE_SECONDS },
  );

const ways = ['status-address', 'op-min', 'stopped', 'last'] as const;

function wayOf(input: Input): (typeof ways)[number] {
  const [way, another] = ways.filter((flag) => input.flag(flag) !== undefined);
  if (way !== undefined && another === undefined) return way;
  throw new UsageError(
    'give the state of the file: --status-address of its running replica, --op-min, --stopped, or --last',
  );
}

/** The pause of writes for the last backup of the replicas to which the file belongs. */
async function pauseOf(input: Input, file: StorageFile): Promise<KeptPause> {
  const addresses = parseAddresses(required(input.flag('peer-addresses'), 'peer-addresses'));
  const { identity } = await readSuperblock(file);
  const { clusterId, replicaIndex, replicaCount } = identity;
  if (replicaCount === 1)
    throw new UsageError('--last is for several replicas: stop a single one, and give --stopped');
  if (addresses.length !== replicaCount) {
    throw new UsageError(
      `--peer-addresses has ${addresses.length} of ${replicaCount} entries; all replicas must be named`,
    );
  }
  return new KeptPause({
    clusterId,
    replicaIndex,
    incarnation: parseIncarnation(input.flag('incarnation')),
    addresses,
    security: peerSecurity(input, addresses),
    timers: systemTimers,
  });
}

/** An op that the newest checkpoint must contain. */
async function opThatMustBeThere(input: Input): Promise<number> {
  const address = input.flag('status-address');
  if (address !== undefined) return askForCheckpoint(address);
  return parseInteger('op-min', input.flag('op-min') ?? '0', 0, Number.MAX_SAFE_INTEGER);
}

/** Lets the engine write everything that it has executed into the data file. Returns the op. */
async function askForCheckpoint(address: string): Promise<number> {
  const { host, port } = parseAddress(address);
  const signal = AbortSignal.timeout(CHECKPOINT_TIMEOUT_MS);
  const response = await fetch(`http://${host}:${port}/checkpoint`, { method: 'POST', signal });
  const body = await response.text();
  if (!response.ok) throw new UsageError(`the replica refused: ${response.status} ${body.trim()}`);
  return (JSON.parse(body) as { readonly op: number }).op;
}

const CHECKPOINT_TIMEOUT_MS = 120_000;

export function summaryOf({ key, record, sha256 }: FoundRecord): BackupSummary {
  const rowsOf = (id: number) => record.tables.find(({ table }) => table === id)?.rowCount ?? 0;
  const { databaseId, backupId, clusterId, op, timestamp, stateHash, release } = record;
  return {
    databaseId,
    backupId,
    key,
    sha256,
    clusterId,
    op,
    timestamp,
    stateHash,
    release,
    accounts: rowsOf(TableId.accounts),
    transfers: rowsOf(TableId.transfers),
    sizeBytes: plainBytes(record),
    storedBytes: storedBytes(record),
    encrypted: record.sealed ?? false,
    ...(record.lockedUntil !== undefined && { lockedUntil: record.lockedUntil }),
    completedAt: record.completedAt,
  };
}

interface BackupSummary extends Pick<
  BackupRecord,
  | 'databaseId'
  | 'backupId'
  | 'clusterId'
  | 'op'
  | 'timestamp'
  | 'stateHash'
  | 'release'
  | 'completedAt'
> {
  /** Key of the record, and its digest. */
  readonly key: string;
  readonly sha256: string;
  readonly accounts: number;
  readonly transfers: number;
  /** Bytes of all rows, and of the objects that hold them. */
  readonly sizeBytes: number;
  readonly storedBytes: number;
  /** Whether all of it is. */
  readonly encrypted: boolean;
  /** All of it was locked until then, or for longer, when it was made. */
  readonly lockedUntil?: string;
}
