/** Output of a command: results go to stdout, notes for people to stderr. */
import { styleText } from 'node:util';

export interface Output {
  /** Writes a part of the result; the text includes its line ends. */
  result(text: string | Uint8Array): void;
  /** Writes a line for people; `--quiet` drops it. */
  note(line: string): void;
  /** Writes a line that `--quiet` does not drop. */
  warn(line: string): void;
  /** Writes a line for `--verbose`. */
  trace(line: string): void;
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
  const line = (text: string) => process.stderr.write(`${text}\n`);
  return {
    result: (text) => void process.stdout.write(text),
    note: (text) => void (options.quiet || line(text)),
    warn: line,
    trace: (text) => void (options.verbose && line(text)),
    isTerminal: process.stdout.isTTY === true,
    emphasize: (kind, text) => styleText(formats[kind], text, { stream: process.stdout }),
  };
}

/** Foreign text, safe for a terminal: without control characters, which could overwrite earlier output. */
export const printable = (text: string): string =>
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what is looked for
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');

export const lineEnded = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
