/** The report of an import: what is wrong in which line. It keeps a bounded number of faults and counts all of them. */

import { REPORTED_MAX, type RowFault } from '../../domain/import-files/row-faults.ts';

export interface LineFault extends RowFault {
  /** The file, as the user named it. */
  readonly file: string;
}

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
