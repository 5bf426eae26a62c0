/** Finds the faults of files as one import, and describes each by name, file and field, in plain words. */
import { releaseText, type FileHead, type LedgerFileHead } from './file-head.ts';

export interface ImportFile {
  /** The replica that the file is meant for; absent: the one that its head names. */
  readonly replicaIndex?: number;
  readonly sizeBytes: number;
  /** Absent if nobody has read it yet. Of such a file only index and size are compared. */
  readonly head?: FileHead;
}

export interface ImportTerms {
  /** Newest release of the engine that can begin with the files. */
  readonly release: number;
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
  | 'tigerbeetle_file'
  | 'format_newer'
  | 'replica_own_file'
  | 'release_newer'
  | 'ledger_empty'
  | 'timestamp_in_future'
  | 'cluster_differs'
  | 'replica_index_differs'
  | 'replica_count_differs'
  | 'state_differs';

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

type Fault = Omit<ImportFault, 'file'>;

/** Returns all faults of the files as one import; empty if there is none. */
export function importFaults(
  files: readonly ImportFile[],
  terms: ImportTerms,
): readonly ImportFault[] {
  const ofOne = files.flatMap((file, at) =>
    faultsOf(file, terms).map((fault) => ({ ...fault, file: at })),
  );
  return [...countFaults(files, terms), ...ofOne, ...mixture(files)];
}

function faultsOf({ sizeBytes, head: read }: ImportFile, terms: ImportTerms): readonly Fault[] {
  if (read === undefined) return [];
  if (read.kind !== 'ledger') return [unreadable(read, sizeBytes)];
  const { head } = read;
  const faults: Fault[] = [];
  if (head.logSizeBytes > 0) {
    faults.push({
      code: 'replica_own_file',
      field: 'head',
      detail:
        "It is a replica's own file, with its log. Export it with 'ledger-engine export --from', and take that.",
    });
  }
  if (head.release > terms.release) {
    faults.push({
      code: 'release_newer',
      field: 'release',
      detail: `Release ${releaseText(head.release)} wrote it, and the newest engine here is ${releaseText(terms.release)}. It can be imported once the service has that release.`,
    });
  }
  if (head.op === 0) {
    faults.push({
      code: 'ledger_empty',
      field: 'op',
      detail:
        'Its ledger is empty, which need not be imported. Make a new database, or take the right file.',
    });
  }
  if (head.timestamp > BigInt(terms.now.getTime() + CLOCK_DIFFERENCE_MS) * 1_000_000n) {
    faults.push({
      code: 'timestamp_in_future',
      field: 'timestamp',
      detail: `Its last operation is of ${head.timestamp} ns, the clock here says ${terms.now.toISOString()}. Set the clock right; if it is, export the file again.`,
    });
  }
  if (sizeBytes < head.endsAfterBytes) faults.push(cutShort(sizeBytes, head.endsAfterBytes));
  return faults;
}

function unreadable(read: Exclude<FileHead, { kind: 'ledger' }>, sizeBytes: number): Fault {
  if (read.kind === 'newer-format') {
    return {
      code: 'format_newer',
      field: 'release',
      detail: `A newer release wrote it, in format ${read.formatVersion}. It can be imported once the service has that release.`,
    };
  }
  return read.kind === 'foreign' && sizeBytes === 0 ? cutShort(0, 1) : noLedger[read.kind];
}

const noLedger = {
  tigerbeetle: {
    code: 'tigerbeetle_file',
    field: 'head',
    detail:
      "It is TigerBeetle's. Only files of the built-in engine can be imported, as 'ledger-engine export' makes them.",
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

const headOf = ({ head }: ImportFile): LedgerFileHead | undefined =>
  head?.kind === 'ledger' ? head.head : undefined;

const indexOf = (file: ImportFile): number | undefined =>
  file.replicaIndex ?? headOf(file)?.replicaIndex;

/** Checks that all files are of one cluster and one moment, and each of the replica that it is meant for. */
function mixture(files: readonly ImportFile[]): readonly ImportFault[] {
  const first = files.map(headOf).find((head) => head !== undefined);
  if (first === undefined) return [];
  return files.flatMap((given, file) => {
    const head = headOf(given);
    return head === undefined
      ? []
      : differences(head, first, given.replicaIndex, files.length).map((fault) => ({
          ...fault,
          file,
        }));
  });
}

function differences(
  head: LedgerFileHead,
  first: LedgerFileHead,
  given: number | undefined,
  count: number,
): readonly Fault[] {
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
    const detail = `Its cluster has ${head.replicaCount} replicas, and there are ${count} files. Take the files of all replicas, or give the file another count with 'ledger-engine restore --replica-count' and export that.`;
    faults.push({ code: 'replica_count_differs', field: 'replicaCount', detail });
  }
  if (head.op !== first.op || head.stateHash !== first.stateHash) {
    const field = head.op === first.op ? 'stateHash' : 'op';
    const detail = `Its state is op ${head.op} with hash ${head.stateHash}, that of the first file op ${first.op} with ${first.stateHash}. Export one replica, make the others' files of it with 'ledger-engine restore --replica', and export these.`;
    faults.push({ code: 'state_differs', field, detail });
  }
  return faults;
}
