/** `ledger-engine`: the ledger engine's command line. */
import { benchmark } from './commands/benchmark.ts';
import { UsageError, helpOf, readInput, type Verb } from './commands/verb.ts';
import { exportFile } from './commands/export.ts';
import { format } from './commands/format.ts';
import { inspect } from './commands/inspect.ts';
import { recover } from './commands/recover.ts';
import { restore } from './commands/restore.ts';
import { start } from './commands/start.ts';
import { version } from './commands/version.ts';
import { DataFileError } from './log/errors.ts';

const verbs: readonly Verb[] = [
  format,
  start,
  recover,
  exportFile,
  restore,
  inspect,
  version,
  benchmark,
];

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const verb = verbs.find((candidate) => candidate.name === name);
  if (verb === undefined) {
    const lines = verbs.map((candidate) => `  ${candidate.name.padEnd(10)}${candidate.summary}`);
    const help = `Usage: ledger-engine VERB [flags]\n\n${lines.join('\n')}\n`;
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      process.stdout.write(help);
      return 0;
    }
    throw new UsageError(
      `no verb "${name}"; verbs: ${verbs.map((candidate) => candidate.name).join(', ')}`,
    );
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(helpOf(verb));
    return 0;
  }
  return verb.run(readInput(verb, rest));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError || error instanceof DataFileError || isSystemError(error)))
    throw error;
  process.stderr.write(`ledger-engine: ${error.message}\n`);
  // At once: a start that failed half way may have a port open already, which would keep the process.
  process.exit(1);
}

/** What the system refused (no such file, no room, no right): its message names the path and the reason. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
