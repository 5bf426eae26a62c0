/** Finds the faults of files as one import, and describes each by name, file and field, in plain words. */
import {
  dataFileHeadOf,
  releaseText,
  type DataFileHead,
  type FileEngine,
  type FileHead,
  type LedgerFileHead,
  type TigerBeetleFileHead,
} from './file-head.ts';
import { TIGERBEETLE_HEAD_SIZE } from './tigerbeetle-head.ts';

export interface ImportFile {
  /** The replica that the file is meant for; absent: the one that its head names. */
  readonly replicaIndex?: number;
  readonly sizeBytes: number;
  /** Absent if nobody has read it yet. Of such a file only index and size are compared. */
  readonly head?: FileHead;
}

export interface ImportTerms {
  /** Newest release of the built-in engine that can begin with its files. */
  readonly release: number;
  /** Newest release of TigerBeetle that can begin with its own; absent: no database of TigerBeetle can be made. */
  readonly tigerBeetleRelease?: number;
  readonly now: Date;
  /** Number of replicas of the new database; absent: the number in the files. */
  readonly replicaCount?: number;
}

export type ImportFaultCode =
  | 'wrong_file_count'
  | 'replica_missing'
  | 'replica_twice'
  | 'file_cut_short'
  | 'not_a_data_file'
  | 'head_damaged'
  | 'head_incomplete'
  | 'tigerbeetle_unavailable'
  | 'engine_differs'
  | 'format_unknown'
  | 'standby_file'
  | 'state_incomplete'
  | 'cluster_reserved'
  | 'format_newer'
  | 'replica_own_file'
  | 'release_newer'
  | 'ledger_empty'
  | 'timestamp_in_future'
  | 'cluster_differs'
  | 'replica_index_differs'
  | 'replica_count_differs'
  | 'state_differs'
  | 'moments_differ';

export interface ImportFault {
  readonly code: ImportFaultCode;
  /** Index of the file in the list; `undefined`: the list as a whole. */
  readonly file?: number;
  readonly field:
    | 'files'
    | 'sizeBytes'
    | 'head'
    | 'release'
    | 'op'
    | 'timestamp'
    | 'stateHash'
    | 'clusterId'
    | 'replicaIndex'
    | 'replicaCount';
  /** One or two sentences: the fault, and what to do. */
  readonly detail: string;
}

/** Possible numbers of files in an import: one for each replica of a topology. */
export const importCounts: readonly number[] = [1, 3, 6];

/** Maximum difference between the clocks of two machines. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** Cluster IDs that no database has. */
const reservedIds: ReadonlySet<bigint> = new Set([0n, (1n << 128n) - 1n]);

type Fault = Omit<ImportFault, 'file'>;

/** Returns all faults of the files as one import; empty if there is none. */
export function importFaults(
  files: readonly ImportFile[],
  terms: ImportTerms,
): readonly ImportFault[] {
  const ofOne = files.flatMap((file, at) =>
    faultsOf(file, terms).map((fault) => ({ ...fault, file: at })),
  );
  const found = [...countFaults(files, terms), ...ofOne, ...mixture(files)];
  return found.length > 0 ? found : distance(files);
}

function faultsOf({ sizeBytes, head: read }: ImportFile, terms: ImportTerms): readonly Fault[] {
  if (read === undefined) return [];
  if (read.kind !== 'ledger' && read.kind !== 'tigerbeetle') return [unreadable(read, sizeBytes)];
  const { head } = read;
  const newest = read.kind === 'ledger' ? terms.release : terms.tigerBeetleRelease;
  const faults = [
    ...(read.kind === 'ledger' ? ledgerFaults(read.head) : tigerBeetleFaults(read.head)),
  ];
  if (newest === undefined) {
    faults.push({
      code: 'tigerbeetle_unavailable',
      field: 'head',
      detail:
        "It is TigerBeetle's, and no database of TigerBeetle can be made here. Start its cluster, export its rows with 'ledgerhouse export', and import those.",
    });
  } else if (head.release > newest) {
    faults.push({
      code: 'release_newer',
      field: 'release',
      detail: `Release ${releaseText(head.release)} wrote it, and the newest engine here is ${releaseText(newest)}. It can be imported once the service has that release.`,
    });
  }
  if (head.timestamp > BigInt(terms.now.getTime() + CLOCK_DIFFERENCE_MS) * 1_000_000n) {
    faults.push({
      code: 'timestamp_in_future',
      field: 'timestamp',
      detail: `Its last operation is of ${head.timestamp} ns, the clock here says ${terms.now.toISOString()}. Correct the clock; if it is right, export the file again.`,
    });
  }
  if (sizeBytes < head.endsAfterBytes) faults.push(cutShort(sizeBytes, head.endsAfterBytes));
  return faults;
}

function ledgerFaults(head: LedgerFileHead): readonly Fault[] {
  const faults: Fault[] = [];
  if (head.logSizeBytes > 0) {
    faults.push({
      code: 'replica_own_file',
      field: 'head',
      detail:
        "It is a replica's own file, with its log. Export it with 'ledger-engine export --from', and take that.",
    });
  }
  if (head.op === 0) {
    faults.push({
      code: 'ledger_empty',
      field: 'op',
      detail:
        'Its ledger is empty. Make a new database without an import, or choose the right file.',
    });
  }
  return faults;
}

/** A file without a checkpoint may have its whole ledger in its log: its op 0 says nothing. */
function tigerBeetleFaults(head: TigerBeetleFileHead): readonly Fault[] {
  const faults: Fault[] = [];
  if (reservedIds.has(head.clusterId)) {
    faults.push({
      code: 'cluster_reserved',
      field: 'clusterId',
      detail: `Its cluster ID is ${head.clusterId}, which no database may have (0 is for tests), and files of TigerBeetle keep their ID. Start its cluster, export its rows with 'ledgerhouse export', and import those.`,
    });
  }
  if (head.replicaIndex >= head.replicaCount) {
    faults.push({
      code: 'standby_file',
      field: 'replicaIndex',
      detail: `It is the file of a standby, ${head.replicaIndex} of a cluster of ${head.replicaCount}. Take the files of the replicas, from 0 to ${head.replicaCount - 1}.`,
    });
  }
  if (head.isSyncing) {
    faults.push({
      code: 'state_incomplete',
      field: 'head',
      detail:
        'Its replica was still fetching the state from others at its last checkpoint. Start the cluster, let it take about a thousand requests, so that every replica makes another one, stop all replicas, and copy the files again.',
    });
  }
  return faults;
}

function unreadable(
  read: Exclude<FileHead, { kind: 'ledger' | 'tigerbeetle' }>,
  sizeBytes: number,
): Fault {
  if (read.kind === 'newer-format') return newerFormat(read.formatVersion);
  if (read.kind === 'foreign' && sizeBytes === 0) return cutShort(0, 1);
  if (read.kind === 'tigerbeetle-cut' && sizeBytes < TIGERBEETLE_HEAD_SIZE)
    return cutShort(sizeBytes, TIGERBEETLE_HEAD_SIZE);
  return noLedger[read.kind];
}

const newerFormat = (formatVersion: number): Fault => ({
  code: 'format_newer',
  field: 'release',
  detail: `A newer release wrote it, in format ${formatVersion}. It can be imported once the service has that release.`,
});

const noLedger = {
  'tigerbeetle-cut': {
    code: 'head_incomplete',
    field: 'head',
    detail: `It is TigerBeetle's, whose head has four copies. Send its first ${TIGERBEETLE_HEAD_SIZE} bytes.`,
  },
  'tigerbeetle-development': {
    code: 'format_unknown',
    field: 'head',
    detail:
      'A development build of TigerBeetle wrote it. Only files of released programs can be imported.',
  },
  'tigerbeetle-damaged': {
    code: 'head_damaged',
    field: 'head',
    detail:
      "It is TigerBeetle's, and the copies of its head do not agree: it is damaged, or was copied while its replica ran. Stop all replicas, and copy their files again.",
  },
  damaged: {
    code: 'head_damaged',
    field: 'head',
    detail: "Its head is damaged. Check it with 'ledger-engine inspect', and export it again.",
  },
  foreign: {
    code: 'not_a_data_file',
    field: 'head',
    detail:
      "It is no data file. Take one that 'ledger-engine export' made, or make one of CSV or NDJSON with 'ledger-engine import-rows'.",
  },
} as const satisfies Record<string, Fault>;

const cutShort = (sizeBytes: number, endsAfterBytes: number): Fault => ({
  code: 'file_cut_short',
  field: 'sizeBytes',
  detail: `It is cut short: it has ${sizeBytes} bytes and goes on to byte ${endsAfterBytes} at least. Copy or export it again.`,
});

/** Checks that there is one file for each replica. */
function countFaults(files: readonly ImportFile[], terms: ImportTerms): readonly ImportFault[] {
  const wanted = terms.replicaCount ?? files.length;
  if (!importCounts.includes(files.length) || files.length !== wanted) {
    const needed = terms.replicaCount === undefined ? '1, 3 or 6' : String(terms.replicaCount);
    const detail = `There are ${files.length} files; an import has ${needed}, one for each replica.`;
    return [{ code: 'wrong_file_count', field: 'files', detail }];
  }
  const indexes = files.map(indexOf);
  const twice = indexes.flatMap((index, file): readonly ImportFault[] => {
    const first = indexes.indexOf(index);
    if (index === undefined || first === file) return [];
    const detail = `There is another file for replica ${index}, file ${first + 1} of the list. Each replica has its own.`;
    return [{ code: 'replica_twice', file, field: 'replicaIndex', detail }];
  });
  const known = indexes.every((index) => index !== undefined);
  const missing = files.flatMap((_, index): readonly ImportFault[] => {
    if (!known || indexes.includes(index)) return [];
    const detail = `There is no file for replica ${index}. An import of ${files.length} has one for each index from 0 to ${files.length - 1}.`;
    return [{ code: 'replica_missing', field: 'files', detail }];
  });
  return [...twice, ...missing];
}

const indexOf = (file: ImportFile): number | undefined =>
  file.replicaIndex ?? dataFileHeadOf(file.head)?.head.replicaIndex;

/** Checks that all files are of one engine, one cluster and one moment, and each of the replica that it is meant for. */
function mixture(files: readonly ImportFile[]): readonly ImportFault[] {
  const first = files.map(({ head }) => dataFileHeadOf(head)).find((found) => found !== undefined);
  if (first === undefined) return [];
  return files.flatMap((given, file) => {
    const found = dataFileHeadOf(given.head);
    return found === undefined
      ? []
      : differences(found, first, given.replicaIndex, files.length).map((fault) => ({
          ...fault,
          file,
        }));
  });
}

interface Found {
  readonly engine: FileEngine;
  readonly head: DataFileHead;
}

function differences(
  { engine, head }: Found,
  { engine: firstEngine, head: first }: Found,
  given: number | undefined,
  count: number,
): readonly Fault[] {
  if (engine !== firstEngine) {
    const detail = `It is a file of ${engineWords[engine]}, the first one of ${engineWords[firstEngine]}. All files of an import are of one cluster.`;
    return [{ code: 'engine_differs', field: 'head', detail }];
  }
  if (head.clusterId !== first.clusterId) {
    const detail = `It is a file of cluster ${head.clusterId}, the first one of ${first.clusterId}. All files of an import are of one cluster.`;
    return [{ code: 'cluster_differs', field: 'clusterId', detail }];
  }
  const faults: Fault[] = [];
  if (given !== undefined && head.replicaIndex !== given) {
    const detail = `It is the file of replica ${head.replicaIndex}, not of ${given}. Each replica has its own file.`;
    faults.push({ code: 'replica_index_differs', field: 'replicaIndex', detail });
  }
  if (head.replicaCount !== count && importCounts.includes(count)) {
    const others =
      engine === 'Builtin'
        ? ", or give the file another count with 'ledger-engine restore --replica-count' and export that"
        : '; TigerBeetle cannot change their number';
    const detail = `Its cluster has ${head.replicaCount} replicas, and there are ${count} files. Take the files of all replicas${others}.`;
    faults.push({ code: 'replica_count_differs', field: 'replicaCount', detail });
  }
  const isOther = head.op !== first.op || head.stateHash !== first.stateHash;
  // Replicas of TigerBeetle that were stopped together have different heads, and agree when they start.
  if (engine === 'Builtin' && isOther) {
    const field = head.op === first.op ? 'stateHash' : 'op';
    const detail = `Its state is op ${head.op} with hash ${head.stateHash}, that of the first file op ${first.op} with ${first.stateHash}. Export one replica, make the others' files of it with 'ledger-engine restore --replica', and export these.`;
    faults.push({ code: 'state_differs', field, detail });
  }
  return faults;
}

/** Operations from one checkpoint of TigerBeetle to the next. */
const CHECKPOINT_OPS = 960;

/**
 * Checks that a replica of TigerBeetle is not ahead of all that could have followed it. A checkpoint needs operations behind it that as
 * many replicas as replicate have taken, and a replica takes none beyond its next checkpoint (`op_prepare_ok_max`). Files without it
 * are of different moments: the others would decide again about requests that the first one has already answered.
 */
function distance(files: readonly ImportFile[]): readonly ImportFault[] {
  const heads = files.flatMap(({ head }) => (head?.kind === 'tigerbeetle' ? [head.head] : []));
  if (heads.length < files.length) return [];
  const ops = heads.map(({ op }) => op);
  const newest = Math.max(...ops);
  const near = ops.filter((op) => op >= newest - CHECKPOINT_OPS).length;
  if (near >= Math.ceil(files.length / 2)) return [];
  const detail = `Its last checkpoint is of op ${newest}, those of the others of ${ops.filter((op) => op < newest).join(', ')}: no cluster was stopped like this, and its replicas would not agree. Stop all replicas, and copy the files of all of them again.`;
  return [{ code: 'moments_differ', file: ops.indexOf(newest), field: 'op', detail }];
}

const engineWords: Readonly<Record<FileEngine, string>> = {
  Builtin: 'the built-in engine',
  TigerBeetle: 'TigerBeetle',
};
