/** Target of the rows of an export. */
import type { Output } from '../output/output.ts';
import { resultTaken } from '../output/output.ts';

export interface Sink {
  /** Called once, before `write`; a sink that has the header already does not write it again. */
  begin(header: string): Promise<void>;
  /** Resolves when the text is taken, so that a slow reader slows the export down and does not fill the memory. */
  write(text: string): Promise<void>;
  /** Called when all rows are written. */
  finish(): Promise<void>;
}

export function standardOutput(output: Output): Sink {
  const write = async (text: string) => {
    output.result(text);
    await resultTaken();
  };
  return { begin: write, write, finish: () => Promise.resolve() };
}
