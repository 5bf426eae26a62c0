/** A program of verbs: its help, the choice of a verb, and what a mistake or a refusal looks like. */
import { DataFileError } from '../log/errors.ts';
import { ReplacementRefused } from '../members/ask-leader.ts';
import { ReplicatedLogError } from '../log/replicated/errors.ts';
import { EtcdError } from '../log/replicated/etcd.ts';
import { SalvageRefused } from '../replica/salvage.ts';
import { MemberMismatch } from '../server/member-mismatch.ts';
import { helpOf, readInput, UsageError, type Verb } from './verb.ts';

export interface Program {
  readonly name: string;
  readonly verbs: readonly Verb[];
}

/** Runs the verb that the arguments name, and leaves the process with its exit status, or 1 and a line that says why. */
export async function runProgram(program: Program, args: readonly string[]): Promise<void> {
  try {
    process.exitCode = await runVerb(program, args);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    process.stderr.write(`${program.name}: ${error.message}\n`);
    // At once: a start that failed half way may have a port open already, which would keep the process.
    process.exit(1);
  }
}

async function runVerb({ name: program, verbs }: Program, args: readonly string[]) {
  const [name, ...rest] = args;
  const verb = verbs.find((candidate) => candidate.name === name);
  if (verb === undefined) {
    const lines = verbs.map((candidate) => `  ${candidate.name.padEnd(10)}${candidate.summary}`);
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
  DataFileError,
  MemberMismatch,
  ReplacementRefused,
  SalvageRefused,
  ReplicatedLogError,
  EtcdError,
];

/** What is told with a line and no stack: a mistake in the command line, a data file that is refused, the system's no. */
export function isRefusal(error: unknown): error is Error {
  return refusals.some((kind) => error instanceof kind) || isSystemError(error);
}

/** What the system refused (no such file, no room, no right): its message names the path and the reason. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
