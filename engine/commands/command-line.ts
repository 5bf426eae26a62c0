/** A program with verbs: its help, the choice of a verb, and the output of mistakes and refusals. */
import { helpOf, readInput, UsageError, type Verb } from './verb.ts';

export interface Program {
  readonly name: string;
  /** By name. Only the one that is run is loaded: others bring half of the libraries, and a pod's start waits for it. */
  readonly verbs: Readonly<Record<string, () => Promise<Verb>>>;
}

/** Runs the verb that the arguments name and exits with its status, or with 1 and a line that says why. */
export async function runProgram(program: Program, args: readonly string[]): Promise<void> {
  try {
    process.exitCode = await runVerb(program, args);
  } catch (error) {
    const { isRefusal } = await import('./refusals.ts');
    if (!isRefusal(error)) throw error;
    process.stderr.write(`${program.name}: ${error.message}\n`);
    // Exit at once: a start that failed half way may have opened a port, which would keep the process alive.
    process.exit(1);
  }
}

async function runVerb({ name: program, verbs }: Program, args: readonly string[]) {
  const [name = '--help', ...rest] = args;
  const load = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (load === undefined) {
    if (name === '--help' || name === '-h' || name === 'help') {
      process.stdout.write(await overview(program, verbs));
      return 0;
    }
    throw new UsageError(`no verb "${name}"; verbs: ${Object.keys(verbs).join(', ')}`);
  }
  const verb = await load();
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(helpOf(program, verb));
    return 0;
  }
  return verb.run(readInput(program, verb, rest));
}

async function overview(program: string, verbs: Program['verbs']): Promise<string> {
  const all = await Promise.all(Object.values(verbs).map((load) => load()));
  const width = Math.max(...all.map(({ name }) => name.length)) + 2;
  const lines = all.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
  return `Usage: ${program} VERB [flags]\n\n${lines.join('\n')}\n`;
}
