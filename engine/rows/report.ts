/** The report of an import: what is wrong in which line. It keeps a bounded number of faults and counts all of them. */

export interface LineFault {
  /** The file, as the user named it. */
  readonly file: string;
  /** From 1; 0: the file as a whole. */
  readonly line: number;
  /** The column at fault, if it is one. */
  readonly field?: string;
  /** Stable name of the fault: a status of the ledger, or one of the file's form. */
  readonly code: string;
  /** What is wrong, and what to do. */
  readonly detail: string;
}

export const REPORTED_MAX = 100;

export class Report {
  readonly faults: LineFault[] = [];
  #count = 0;

  /** Number of all faults, also of those that are not kept. */
  get count(): number {
    return this.#count;
  }

  add(fault: LineFault): void {
    this.#count += 1;
    if (this.faults.length < REPORTED_MAX) this.faults.push(fault);
  }

  /** Lines for people: the faults, and how many more there are. */
  lines(): readonly string[] {
    const lines = this.faults.map(({ file, line, field, code, detail }) => {
      const place = line === 0 ? file : `${file}:${line}`;
      return `${place}: ${field === undefined ? '' : `${field}: `}${detail} (${code})`;
    });
    const more = this.#count - this.faults.length;
    return more === 0 ? lines : [...lines, `${more} more faults are not listed`];
  }
}

/** A value of a file as it may stand in a message: short, and without control characters. */
export function shown(text: string): string {
  const short = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return JSON.stringify(short).replaceAll(
    /[\u007F-\u009F]/g,
    (character) => String.raw`\u00` + character.charCodeAt(0).toString(16),
  );
}
