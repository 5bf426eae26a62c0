/** A verb of the engine's command line: data for help, and a handler that returns the exit status. */
import { parseArgs } from 'node:util';
import { nearest } from '../../base/nearest.ts';

export interface Flag {
  readonly name: string;
  /** Name of the flag's value in help; `undefined` for a flag without a value. */
  readonly value: string | undefined;
  readonly help: string;
}

export interface Verb {
  readonly name: string;
  readonly summary: string;
  /** Names of the positional arguments, in order; all are required. */
  readonly arguments: readonly string[];
  readonly flags: readonly Flag[];
  run(input: Input): Promise<number>;
}

export interface Input {
  readonly arguments: readonly string[];
  /** Returns a flag's value; '' for a flag without one; `undefined` when it was not given. */
  flag(name: string): string | undefined;
}

/** A mistake in the command line; the message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads `--name=value`, `--name value`, `--name` and positional arguments as the verb declares them. */
export function readInput(program: string, verb: Verb, args: readonly string[]): Input {
  for (const arg of args) {
    const name = /^--([^=]+)/.exec(arg)?.[1];
    if (name !== undefined && !verb.flags.some((flag) => flag.name === name))
      throw unknownFlag(program, verb, name);
  }
  const { values, positionals } = parse(program, verb, args);
  if (positionals.length !== verb.arguments.length) {
    const names = verb.arguments.map((name) => `<${name}>`).join(' ') || 'no arguments';
    throw new UsageError(`${verb.name} takes ${names}; ${seeHelp(program, verb)}`);
  }
  return {
    arguments: positionals,
    flag: (name) => {
      const value = values[name];
      if (typeof value === 'boolean') return value ? '' : undefined;
      return typeof value === 'string' ? value : undefined;
    },
  };
}

function parse(
  program: string,
  verb: Verb,
  args: readonly string[],
): { values: Record<string, unknown>; positionals: string[] } {
  const options = Object.fromEntries(
    verb.flags.map(({ name, value }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  try {
    return parseArgs({
      args: expandBooleans(verb, args),
      options,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new UsageError(
      `${error instanceof Error ? error.message : String(error)}; ${seeHelp(program, verb)}`,
      { cause: error },
    );
  }
}

const seeHelp = (program: string, verb: Verb) => `see: ${program} ${verb.name} --help`;

/** Accepts `--development=true`, a form that TigerBeetle's flags allow too. */
function expandBooleans(verb: Verb, args: readonly string[]): string[] {
  return args.flatMap((arg) => {
    const [, name, value] = /^--([^=]+)=(true|false)$/.exec(arg) ?? [];
    const isBoolean = verb.flags.some((flag) => flag.name === name && flag.value === undefined);
    if (!isBoolean) return [arg];
    return value === 'true' ? [`--${name}`] : [];
  });
}

function unknownFlag(program: string, verb: Verb, name: string): UsageError {
  const meant = nearest(
    name,
    verb.flags.map((flag) => flag.name),
  );
  const hint = meant === undefined ? '' : `; did you mean --${meant}?`;
  return new UsageError(`${verb.name} has no flag --${name}${hint}; ${seeHelp(program, verb)}`);
}

export function helpOf(program: string, verb: Verb): string {
  const flags = verb.flags.map(({ name, value, help }) => {
    const written = value === undefined ? `--${name}` : `--${name}=<${value}>`;
    return `  ${written.padEnd(34)}${help}`;
  });
  const args = verb.arguments.map((name) => ` <${name}>`).join('');
  return `${verb.summary}\n\nUsage: ${program} ${verb.name} [flags]${args}\n\nFlags:\n${flags.join('\n')}\n`;
}
