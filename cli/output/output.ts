/** Where a command writes: results to stdout, what people should know to stderr. */
import { styleText } from 'node:util';

export interface Output {
  /** A piece of the result, with its own line ends. */
  result(text: string | Uint8Array): void;
  /** A line for people; `--quiet` drops it. */
  note(line: string): void;
  /** A line that `--quiet` does not drop. */
  warn(line: string): void;
  /** A line of `--verbose`. */
  trace(line: string): void;
  /** Colored where stdout is a terminal and NO_COLOR is not set. */
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
    emphasize: (kind, text) => styleText(formats[kind], text, { stream: process.stdout }),
  };
}

/** Text of others for a terminal: without control characters, which could rewrite what was shown before. */
export const printable = (text: string): string =>
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what is looked for
  text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');

export const lineEnded = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
