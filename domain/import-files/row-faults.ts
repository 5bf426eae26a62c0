/** Faults of files with rows: of a line, or of a file as a whole. */

export interface RowFault {
  /** From 1; 0: the file as a whole. */
  readonly line: number;
  /** The column at fault, if it is one. */
  readonly field?: string;
  /** Stable name of the fault: a status of the ledger, or one of the file's form. */
  readonly code: string;
  /** Description of the fault, and what to do. */
  readonly detail: string;
}

/** Faults that are listed; all are counted. */
export const REPORTED_MAX = 100;

export const LINE_BYTES_MAX = 8_192;

/** A value of a file as it may stand in a message: short, and without control characters. */
export function shown(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return JSON.stringify(short).replaceAll(
    /[\u007F-\u009F]/g,
    (character) => String.raw`\u00` + character.charCodeAt(0).toString(16),
  );
}

export const lineTooLong = (line: number): RowFault => ({
  line,
  code: 'line_too_long',
  detail: `It has more than ${LINE_BYTES_MAX} bytes; no row has. Each row is a line of its own.`,
});

export const lineCut = (line: number): RowFault => ({
  line,
  code: 'line_cut',
  detail:
    'The file ends here without a line break, so the end of this line may be missing. Write or copy the file again; if it is whole, end its last line with a line break.',
});

export const notAnObject = (line: number, text: string): RowFault => ({
  line,
  code: 'line_malformed',
  detail: `${shown(text)} is not an object of names and integers in one line, such as {"id":"1","ledger":1,"code":1}.`,
});
