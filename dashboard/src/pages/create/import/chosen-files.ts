/** The files that a person chose: their heads, their faults, and whether they match an import. */
import {
  FILE_HEAD_SIZE,
  readFileHead,
  type FileHead,
  type LedgerFileHead,
} from '../../../../../domain/import-files/file-head.ts';
import { importFaults, type ImportFault } from '../../../../../domain/import-files/faults.ts';
import type { Import } from '../../../../../gen/api.ts';
import { isProblem } from '../../../data/problem-error.ts';

export interface ChosenFile {
  readonly file: File;
  /** The first bytes, which are sent when the import begins. */
  readonly headBytes: Uint8Array;
  readonly head: FileHead;
}

/** No topology has more replicas. */
export const filesMax = 6;

/** Reads only the heads. Returns the files in the order of the replicas. Throws if a file cannot be read. */
export async function readChosen(files: readonly File[]): Promise<readonly ChosenFile[]> {
  const chosen = await Promise.all(
    files.slice(0, filesMax + 1).map(async (file) => {
      const headBytes = new Uint8Array(await file.slice(0, FILE_HEAD_SIZE).arrayBuffer());
      return { file, headBytes, head: readFileHead(headBytes) };
    }),
  );
  return chosen.sort((one, other) => placeOf(one) - placeOf(other));
}

export const ledgerHeadOf = ({ head }: Pick<ChosenFile, 'head'>): LedgerFileHead | undefined =>
  head.kind === 'ledger' ? head.head : undefined;

/** Files without a valid head come last. */
const placeOf = (chosen: ChosenFile): number =>
  ledgerHeadOf(chosen)?.replicaIndex ?? Number.MAX_SAFE_INTEGER;

/** `release`: the newest release that can be imported. */
export const faultsOf = (
  chosen: readonly ChosenFile[],
  terms: { readonly release: number; readonly now: Date },
): readonly ImportFault[] =>
  importFaults(
    chosen.map(({ file, head }) => ({ sizeBytes: file.size, head })),
    terms,
  );

/** The files of the request that begins an import. All must have a valid head. */
export const announced = (chosen: readonly ChosenFile[]) =>
  chosen.map((one) => ({
    replicaIndex: ledgerHeadOf(one)?.replicaIndex ?? 0,
    sizeBytes: one.file.size,
    head: btoa(String.fromCharCode(...one.headBytes)),
  }));

/** Why these files cannot resume the import; `undefined` if they can. */
export function whyOthers(chosen: readonly ChosenFile[], begun: Import): string | undefined {
  if (chosen.length !== begun.files.length) {
    return `It has ${begun.files.length} files, and these are ${chosen.length}.`;
  }
  const wrong = begun.files.find((expected) => {
    const given = chosen.find((one) => ledgerHeadOf(one)?.replicaIndex === expected.replicaIndex);
    return given === undefined || !isSame(given, expected);
  });
  return wrong === undefined
    ? undefined
    : `The file of replica ${wrong.replicaIndex} is another than the one that was begun with.`;
}

function isSame(given: ChosenFile, { sizeBytes, head }: Import['files'][number]): boolean {
  const own = ledgerHeadOf(given);
  if (given.file.size !== sizeBytes || own === undefined) return false;
  return (
    head === null ||
    (String(own.clusterId) === head.clusterId &&
      own.op === head.op &&
      own.stateHash === head.stateHash)
  );
}

/** The errors of the service about files, each with the name of the file. */
export const refusalsOf = (error: unknown, chosen: readonly ChosenFile[]): readonly string[] =>
  isProblem(error, 'import_files_wrong')
    ? (error.problem.errors ?? []).map(({ pointer, detail }) => {
        const [, index] = /^#\/files\/(\d)\//.exec(pointer ?? '') ?? [];
        const name = index === undefined ? undefined : chosen[Number(index)]?.file.name;
        return name === undefined ? detail : `${name}: ${detail}`;
      })
    : [];
