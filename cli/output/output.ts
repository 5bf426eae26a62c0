/** Output of a command: results go to stdout, notes for people to stderr. */
import { fstatSync, writeFileSync } from 'node:fs';
import { styleText } from 'node:util';
import { ExitCode } from '../exit-code.ts';
import { CliFailure } from '../failure.ts';
import { printableLines } from './printable.ts';

export interface Output {
  /** Writes a part of the result; the text includes its line ends. */
  result(text: string | Uint8Array): void;
  /** Writes a line for people; `--quiet` drops it. This and the other lines for people may hold foreign text. */
  note(line: string): void;
  /** Writes a line that `--quiet` does not drop. */
  warn(line: string): void;
  /** Writes a line for `--verbose`. */
  trace(line: string): void;
  /**
   * Replaces the line of progress, which stays below all other lines; `undefined` removes it. It does nothing unless `showsProgress`
   * is true.
   */
  progress(line: string | undefined): void;
  /** Whether notes go to a terminal, and are not dropped. */
  readonly showsProgress: boolean;
  /** Whether results go to a terminal. */
  readonly isTerminal: boolean;
  /** Colors the text if stdout is a terminal and NO_COLOR is not set. */
  emphasize(kind: 'bad' | 'dim' | 'strong', text: string): string;
}

const formats = { bad: 'red', dim: 'dim', strong: 'bold' } as const;

export function processOutput(options: {
  readonly quiet: boolean;
  readonly verbose: boolean;
}): Output {
  const { stderr } = process;
  const showsProgress = stderr.isTTY && !options.quiet;
  let shown = '';
  const line = (foreign: string) => {
    const text = printableLines(foreign);
    stderr.write(shown === '' ? `${text}\n` : `${clearLine}${text}\n${shown}`);
  };
  return {
    result: writeResult,
    note: (text) => void (options.quiet || line(text)),
    warn: line,
    trace: (text) => void (options.verbose && line(text)),
    progress: (text) => {
      if (!showsProgress) return;
      // A line that the terminal wraps could not be removed.
      shown = text?.slice(0, (stderr.columns || columnsDefault) - 1) ?? '';
      stderr.write(`${clearLine}${shown}`);
    },
    showsProgress,
    isTerminal: process.stdout.isTTY === true,
    emphasize: (kind, text) => styleText(formats[kind], text, { stream: process.stdout }),
  };
}

/** Node's stream of standard output drops what a full disk did not take of a write to a file. */
function writeResult(text: string | Uint8Array): void {
  if (!fstatSync(process.stdout.fd).isFile()) {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileSync(process.stdout.fd, text);
  } catch (error) {
    throw resultLost(error);
  }
}

export function resultLost(error: unknown): CliFailure {
  const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
  return new CliFailure({
    exitCode: ExitCode.General,
    code: 'output_not_writable',
    title: 'Standard output cannot be written',
    detail: `standard output cannot be written (${code})`,
  });
}

/** Resolves when standard output has taken all results so far. A failure of it ends the process (`main.ts`). */
export const resultTaken = (): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write('', () => resolve());
  });

/** Some terminals report no columns. */
const columnsDefault = 80;
const clearLine = '\r\u001B[K';

export const lineEnded = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
