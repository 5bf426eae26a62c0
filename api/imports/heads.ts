/** Heads of files that are imported: from bytes to what rows and answers have, and what is wrong with them together. */
import { importFaults, type ImportFault } from '../../domain/import-files/faults.ts';
import {
  dataFileHeadOf,
  readFileHead,
  releaseOfText,
  releaseText,
  type FileEngine,
  type FileHead,
} from '../../domain/import-files/file-head.ts';
import { checksumMatches } from '../../engine/wire/checksum.ts';
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import type { ImportHead } from '../model/import.ts';
import { Refusal } from '../model/refusal.ts';

export interface LookedAt {
  readonly replicaIndex: number;
  readonly sizeBytes: number;
  readonly head: FileHead | undefined;
}

/** Newest release of the catalog's versions of an engine; `undefined`: there is none. */
export function newestRelease(
  { engines }: CatalogSpec,
  engine: FileEngine = 'Builtin',
): string | undefined {
  const releases = engines
    .filter(({ name }) => name === engine)
    .flatMap(({ versions }) => versions.map(({ release }) => release));
  return releases.sort((a, b) => numberOf(b) - numberOf(a)).at(0);
}

const numberOf = (release: string): number => releaseOfText(release) ?? 0;

/** Throws a `Refusal` that names every file and field, if the files are no import. */
export function requireSound(files: readonly LookedAt[], catalog: CatalogSpec, now: Date): void {
  const faults = faultsOf(files, catalog, now);
  if (faults.length > 0) throw filesWrong(faults);
}

export const faultsOf = (
  files: readonly LookedAt[],
  catalog: CatalogSpec,
  now: Date,
): readonly ImportFault[] => {
  const tigerBeetle = newestRelease(catalog, 'TigerBeetle');
  return importFaults(
    files.map(({ replicaIndex, sizeBytes, head }) => ({
      replicaIndex,
      sizeBytes,
      ...(head !== undefined && { head }),
    })),
    {
      release: numberOf(newestRelease(catalog) ?? ''),
      ...(tigerBeetle !== undefined && { tigerBeetleRelease: numberOf(tigerBeetle) }),
      now,
    },
  );
};

export const filesWrong = (faults: readonly ImportFault[]): Refusal =>
  new Refusal('import_files_wrong', {
    detail: faults
      .slice(0, 3)
      .map(({ file, detail }) => (file === undefined ? detail : `File ${file + 1}: ${detail}`))
      .join(' '),
    errors: faults.map(({ code, file, field, detail }) => ({
      pointer: file === undefined ? `#/${field}` : `#/files/${file}/${field}`,
      code,
      detail,
    })),
  });

/** Reads a head, and computes what no browser does: the checksums of TigerBeetle's. */
export const readHead = (bytes: Uint8Array): FileHead => readFileHead(bytes, checksumMatches);

/** The head in a file's first bytes, as rows have it; null for bytes that are no data file. */
export function headIn(bytes: Uint8Array): ImportHead | null {
  const found = dataFileHeadOf(readHead(bytes));
  if (found === undefined) return null;
  const { clusterId, replicaIndex, replicaCount, release, op, timestamp, stateHash } = found.head;
  return {
    engine: found.engine,
    clusterId: String(clusterId),
    replicaIndex,
    replicaCount,
    release: releaseText(release),
    op,
    timestamp: String(timestamp),
    stateHash,
  };
}

/** A recorded head as it was read; it had no fault of its own then. */
export function recordedHead(recorded: ImportHead | null): FileHead | undefined {
  if (recorded === null) return undefined;
  const { engine = 'Builtin', ...rest } = recorded;
  const head = {
    ...rest,
    clusterId: BigInt(rest.clusterId),
    release: numberOf(rest.release),
    timestamp: BigInt(rest.timestamp),
    endsAfterBytes: 0,
  };
  return engine === 'Builtin'
    ? { kind: 'ledger', head: { ...head, logSizeBytes: 0 } }
    : { kind: 'tigerbeetle', head: { ...head, isSyncing: false } };
}

export const sameHead = (a: ImportHead, b: ImportHead): boolean =>
  (a.engine ?? 'Builtin') === (b.engine ?? 'Builtin') &&
  a.clusterId === b.clusterId &&
  a.replicaIndex === b.replicaIndex &&
  a.replicaCount === b.replicaCount &&
  a.release === b.release &&
  a.op === b.op &&
  a.timestamp === b.timestamp &&
  a.stateHash === b.stateHash;
