/** The files that a person chose: their heads, their faults, and whether they match an import. */
import {
  dataFileHeadOf,
  FILE_HEAD_SIZE_MAX,
  headSizeOf,
  readFileHead,
  type DataFileHead,
  type FileHead,
} from '../../../../../domain/import-files/file-head.ts';
import { importFaults, type ImportTerms } from '../../../../../domain/import-files/faults.ts';
import {
  areRows,
  areSwapped,
  rowFilesFaults,
} from '../../../../../domain/import-files/row-files.ts';
import type { CreateImportRequest, Import } from '../../../../../gen/api.ts';
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
      const start = new Uint8Array(await file.slice(0, FILE_HEAD_SIZE_MAX).arrayBuffer());
      const headBytes = start.subarray(0, headSizeOf(start));
      return { file, headBytes, head: readFileHead(headBytes) };
    }),
  );
  if (!isRows(chosen)) return chosen.sort((one, other) => placeOf(one) - placeOf(other));
  return areSwapped(chosen) ? chosen.toReversed() : chosen;
}

/** Whether the files are meant as accounts and transfers. */
export const isRows = (chosen: readonly ChosenFile[]): boolean =>
  areRows(chosen.map(({ file, headBytes }) => ({ name: file.name, headBytes })));

/** Index of a file in its import. */
export const indexIn = (chosen: readonly ChosenFile[], one: ChosenFile): number =>
  isRows(chosen) ? chosen.indexOf(one) : placeOf(one);

export const headOf = ({ head }: Pick<ChosenFile, 'head'>): DataFileHead | undefined =>
  dataFileHeadOf(head)?.head;

/** Files without a valid head come last. */
const placeOf = (chosen: ChosenFile): number =>
  headOf(chosen)?.replicaIndex ?? Number.MAX_SAFE_INTEGER;

export interface ChosenFault {
  readonly code: string;
  /** `undefined`: the files as a whole. */
  readonly file?: number;
  readonly detail: string;
}

/** `release` and `tigerBeetleRelease`: the newest releases that can be imported. */
export const faultsOf = (
  chosen: readonly ChosenFile[],
  terms: Pick<ImportTerms, 'release' | 'tigerBeetleRelease' | 'now'>,
): readonly ChosenFault[] =>
  isRows(chosen)
    ? rowFilesFaults(chosen).map(({ line, field, detail, ...fault }) => ({
        ...fault,
        detail: [
          line === 0 ? '' : `Line ${line}: `,
          field === undefined ? '' : `${field}: `,
          detail,
        ].join(''),
      }))
    : importFaults(
        chosen.map(({ file, head }) => ({ sizeBytes: file.size, head })),
        terms,
      );

/** A call has at most some tens of thousands of arguments. */
const charactersAtOnce = 8_192;

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += charactersAtOnce)
    text += String.fromCharCode(...bytes.subarray(at, at + charactersAtOnce));
  return btoa(text);
}

/** The request that begins an import. None of the files has a fault. */
export function announced(chosen: readonly ChosenFile[]): CreateImportRequest {
  const described = chosen.map((one) => ({
    sizeBytes: one.file.size,
    head: base64Of(one.headBytes),
  }));
  const [accounts, transfers] = described;
  if (isRows(chosen) && accounts !== undefined)
    return { rows: { accounts, ...(transfers !== undefined && { transfers }) } };
  return { files: described.map((file, replicaIndex) => ({ replicaIndex, ...file })) };
}

/** Why these files cannot resume the import; `undefined` if they can. */
export function whyOthers(chosen: readonly ChosenFile[], begun: Import): string | undefined {
  if (chosen.length !== begun.files.length) {
    return `It has ${begun.files.length} files, and these are ${chosen.length}.`;
  }
  if (isRows(chosen) !== (begun.kind === 'ROWS')) return 'It has files of another kind.';
  const wrong = begun.files.find((expected) => {
    const given = chosen.find((one) => indexIn(chosen, one) === expected.replicaIndex);
    if (given === undefined) return true;
    return begun.kind === 'ROWS'
      ? given.file.size !== expected.sizeBytes
      : !isSame(given, expected);
  });
  return wrong === undefined
    ? undefined
    : `The file ${begun.kind === 'ROWS' ? `with ${wrong.name}` : `of replica ${wrong.replicaIndex}`} is another than the one that was begun with.`;
}

function isSame(given: ChosenFile, { sizeBytes, head }: Import['files'][number]): boolean {
  const own = headOf(given);
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
        const [, index, rows] = /^#\/(?:files\/(\d)\/|rows\/(\w+))/.exec(pointer ?? '') ?? [];
        const at = index ?? (rows === undefined ? undefined : rows === 'accounts' ? 0 : 1);
        const name = at === undefined ? undefined : chosen[Number(at)]?.file.name;
        return name === undefined ? detail : `${name}: ${detail}`;
      })
    : [];
