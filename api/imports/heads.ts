/** Heads of files that are imported: from bytes to what rows and answers have, and what is wrong with them together. */
import { importFaults, type ImportFault } from '../../domain/import-files/faults.ts';
import {
  readFileHead,
  releaseOfText,
  releaseText,
  type FileHead,
} from '../../domain/import-files/file-head.ts';
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import type { ImportHead } from '../model/import.ts';
import { Refusal } from '../model/refusal.ts';

export interface LookedAt {
  readonly replicaIndex: number;
  readonly sizeBytes: number;
  readonly head: FileHead | undefined;
}

/** Newest release of the catalog's engines that can begin with exported files; `undefined`: there is none. */
export function newestRelease({ engines }: CatalogSpec): string | undefined {
  const releases = engines
    .filter(({ name }) => name === 'Builtin')
    .flatMap(({ versions }) => versions.map(({ release }) => release));
  return releases.sort((a, b) => numberOf(b) - numberOf(a)).at(0);
}

const numberOf = (release: string): number => releaseOfText(release) ?? 0;

/** Throws a `Refusal` that names every file and field, if the files are no import. */
export function requireSound(
  files: readonly LookedAt[],
  release: string | undefined,
  now: Date,
): void {
  const faults = faultsOf(files, release, now);
  if (faults.length > 0) throw filesWrong(faults);
}

export const faultsOf = (
  files: readonly LookedAt[],
  release: string | undefined,
  now: Date,
): readonly ImportFault[] =>
  importFaults(
    files.map(({ replicaIndex, sizeBytes, head }) => ({
      replicaIndex,
      sizeBytes,
      ...(head !== undefined && { head }),
    })),
    { release: numberOf(release ?? ''), now },
  );

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

/** The head in a file's first bytes, as rows have it; null for bytes that are no file of the engine. */
export function headIn(bytes: Uint8Array): ImportHead | null {
  const read = readFileHead(bytes);
  if (read.kind !== 'ledger') return null;
  const { clusterId, replicaIndex, replicaCount, release, op, timestamp, stateHash } = read.head;
  return {
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
export const recordedHead = (head: ImportHead | null): FileHead | undefined =>
  head === null
    ? undefined
    : {
        kind: 'ledger',
        head: {
          ...head,
          clusterId: BigInt(head.clusterId),
          release: numberOf(head.release),
          timestamp: BigInt(head.timestamp),
          logSizeBytes: 0,
          endsAfterBytes: 0,
        },
      };

export const sameHead = (a: ImportHead, b: ImportHead): boolean =>
  a.clusterId === b.clusterId &&
  a.replicaIndex === b.replicaIndex &&
  a.replicaCount === b.replicaCount &&
  a.release === b.release &&
  a.op === b.op &&
  a.timestamp === b.timestamp &&
  a.stateHash === b.stateHash;
