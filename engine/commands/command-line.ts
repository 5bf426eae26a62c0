/** A program with verbs: its help, the choice of a verb, and the output of mistakes and refusals. */
import { ArchiveError } from '../archive/errors.ts';
import { DataFileError } from '../log/errors.ts';
import { ReplacementRefused } from '../members/ask-leader.ts';
import { ReplicatedLogError } from '../log/replicated/errors.ts';
import { EtcdError } from '../log/replicated/etcd.ts';
import { SalvageRefused } from '../replica/salvage.ts';
import { RowFileUnfit } from '../rows/row-file-at.ts';
import { MemberMismatch } from '../server/member-mismatch.ts';
import { helpOf, readInput, UsageError, type Verb } from './verb.ts';

interface Program {
  readonly name: string;
  readonly verbs: readonly Verb[];
}

/** Runs the verb that the arguments name and exits with its status, or with 1 and a line that says why. */
export async function runProgram(program: Program, args: readonly string[]): Promise<void> {
  try {
    process.exitCode = await runVerb(program, args);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    process.stderr.write(`${program.name}: ${error.message}\n`);
    // Exit at once: a start that failed half way may have opened a port, which would keep the process alive.
    process.exit(1);
  }
}

async function runVerb({ name: program, verbs }: Program, args: readonly string[]) {
  const [name, ...rest] = args;
  const verb = verbs.find((candidate) => candidate.name === name);
  if (verb === undefined) {
    const width = Math.max(...verbs.map((candidate) => candidate.name.length)) + 2;
    const lines = verbs.map((candidate) => `  ${candidate.name.padEnd(width)}${candidate.summary}`);
    const help = `Usage: ${program} VERB [flags]\n\n${lines.join('\n')}\n`;
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      process.stdout.write(help);
      return 0;
    }
    throw new UsageError(
      `no verb "${name}"; verbs: ${verbs.map((candidate) => candidate.name).join(', ')}`,
    );
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(helpOf(program, verb));
    return 0;
  }
  return verb.run(readInput(program, verb, rest));
}

const refusals = [
  UsageError,
  ArchiveError,
  DataFileError,
  MemberMismatch,
  ReplacementRefused,
  SalvageRefused,
  ReplicatedLogError,
  EtcdError,
  RowFileUnfit,
];

/** Errors that are reported in one line without a stack: usage errors, refused data files, and system errors. */
export function isRefusal(error: unknown): error is Error {
  return refusals.some((kind) => error instanceof kind) || isSystemError(error);
}

/** Errors of the system (no such file, no room, no right): the message names the path and the reason. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
