/** Parses the words of the command line into a command with its input, or into a request for help. */
import { parseArgs } from 'node:util';
import {
  globalOptions,
  type Command,
  type Group,
  type Node,
  type Option,
  type Place,
} from './command.ts';
import { usageFailure } from './failure.ts';
import { Input } from './input.ts';
import { nearest } from '../base/nearest.ts';

type CommandLine =
  | { readonly kind: 'help'; readonly place: Place }
  | { readonly kind: 'run'; readonly place: Place<Command>; readonly input: Input };

/** Throws a usage failure that tells what to type instead. */
export function readCommandLine(root: Group, words: readonly string[]): CommandLine {
  if (words[0] === 'help') return { kind: 'help', place: named(root, words.slice(1)) };
  if (words[0] === '--version') return readCommandLine(root, ['version', ...words.slice(1)]);
  const { place, rest } = locate(root, words);
  if (asksForHelp(place.node, rest)) return { kind: 'help', place };
  if (place.node.kind === 'command') {
    const command: Place<Command> = { ...place, node: place.node };
    return { kind: 'run', place: command, input: readInput(command, rest) };
  }
  if (words.length === 0) return { kind: 'help', place };
  throw missingCommand(place, rest);
}

/** Follows the words that name a command; global options may stand between them. `rest` is everything else, in order. */
export function locate(
  root: Group,
  words: readonly string[],
): { readonly place: Place; readonly rest: readonly string[] } {
  let node: Node = root;
  const path: string[] = [];
  const rest: string[] = [];
  let index = 0;
  for (; index < words.length && node.kind === 'group'; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') break;
    if (word.startsWith('-')) {
      rest.push(word);
      const value = words[index + 1];
      if (takesNextWord(word, globalOptions) && value !== undefined) {
        rest.push(value);
        index += 1;
      }
      continue;
    }
    const child: Node | undefined = node.children.find((candidate) => candidate.name === word);
    if (child === undefined) break;
    node = child;
    path.push(word);
  }
  return { place: { node, words: path }, rest: [...rest, ...words.slice(index)] };
}

/** Every command below a group, with the words that lead to it. */
export function placesOf(group: Group, words: readonly string[] = []): readonly Place<Command>[] {
  return group.children.flatMap((node) => {
    const here = [...words, node.name];
    return node.kind === 'group' ? placesOf(node, here) : [{ node, words: here }];
  });
}

/** Tells whether the option `word` takes the next word as its value. */
export function takesNextWord(word: string, options: readonly Option[]): boolean {
  const option = options.find(
    ({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  );
  return option?.value !== undefined;
}

const isGlobalOption = (word: string): boolean =>
  globalOptions.some(
    ({ name, short }) =>
      word === `--${name}` || word.startsWith(`--${name}=`) || (short && word === `-${short}`),
  );

function asksForHelp(node: Node, rest: readonly string[]): boolean {
  const options = [...globalOptions, ...(node.kind === 'command' ? node.options : [])];
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? '';
    if (word === '--') return false;
    if (word === '--help' || word === '-h') return true;
    if (takesNextWord(word, options)) index += 1;
  }
  return false;
}

function named(root: Group, words: readonly string[]): Place {
  const { place, rest } = locate(root, words);
  if (rest.length > 0 && place.node.kind === 'group') throw missingCommand(place, rest);
  return place;
}

function missingCommand({ node, words }: Place, rest: readonly string[]): Error {
  const help = `see: ${['ledgerhouse', ...words, '--help'].join(' ')}`;
  const word = rest.find((candidate) => !candidate.startsWith('-'));
  if (node.kind !== 'group' || word === undefined) {
    const flag = rest.find((candidate) => candidate.startsWith('-') && !isGlobalOption(candidate));
    if (flag !== undefined) return unknownOption(flag, globalOptions, help);
    const failure = `${['ledgerhouse', ...words].join(' ')} needs a command`;
    const choices = node.kind === 'group' && words.length > 0 ? choicesOf(node, words) : [];
    return usageFailure(failure, ...choices, help);
  }
  const unknown = `unknown command "${[...words, word].join(' ')}"`;
  const meant = nearest(
    word,
    node.children.map(({ name }) => name),
  );
  if (meant === undefined) return usageFailure(unknown, ...choicesOf(node, words), help);
  return usageFailure(`${unknown}; did you mean "${meant}"?`, help);
}

/** The commands of a group, as a next step. Those of the tool itself are too many for a line. */
const choicesOf = (group: Group, words: readonly string[]): readonly string[] =>
  words.length === 0
    ? ['a request that has no command of its own: ledgerhouse api --help']
    : [`its commands: ${group.children.map(({ name }) => name).join(', ')}`];

function readInput({ node, words }: Place<Command>, rest: readonly string[]): Input {
  const help = `see: ${['ledgerhouse', ...words, '--help'].join(' ')}`;
  const options = [...globalOptions, ...node.options];
  const values = new Map<string, string[]>();
  const given: string[] = [];
  // Not strict, because the failures below are more precise and suggest what was meant.
  const { tokens } = parseArgs({
    args: [...rest],
    options: Object.fromEntries(
      options.map(({ name, short, value }) => [
        name,
        {
          type: value === undefined ? ('boolean' as const) : ('string' as const),
          ...(short === undefined ? {} : { short }),
        },
      ]),
    ),
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional') given.push(token.value);
    if (token.kind !== 'option') continue;
    const option = options.find(({ name }) => name === token.name);
    if (option === undefined) throw unknownOption(token.rawName, options, help);
    const earlier = values.get(option.name);
    if (earlier !== undefined && option.repeatable !== true && option.value !== undefined) {
      throw usageFailure(`${token.rawName} takes one value but is given twice`, help);
    }
    values.set(option.name, [...(earlier ?? []), ...valueOf(option, token, help)]);
  }
  checkArguments(node, given, help);
  return new Input(new Set(options.map(({ name }) => name)), values, given);
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function valueOf(option: Option, token: OptionToken, help: string): readonly string[] {
  const { rawName, value } = token;
  if (option.value === undefined) {
    if (value === undefined) return [];
    throw usageFailure(`${rawName} takes no value`, help);
  }
  if (value === undefined) throw usageFailure(`${rawName} needs a value: <${option.value}>`, help);
  // `--id --json` is a forgotten value, not an ID "--json"; a lone dash means standard input.
  if (token.inlineValue !== true && value.startsWith('-') && value !== '-') {
    throw usageFailure(
      `${rawName} needs a value: <${option.value}>; "${value}" looks like a flag`,
      `to use this value: ${rawName}=${value}`,
    );
  }
  return [value];
}

function unknownOption(rawName: string, options: readonly Option[], help: string): Error {
  const names = options.map(({ name }) => `--${name}`);
  const meant = nearest(rawName, names);
  const suggestion = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return usageFailure(`unknown flag "${rawName}"${suggestion}`, help);
}

function checkArguments(node: Command, given: readonly string[], help: string): void {
  const required = node.arguments.filter(({ optional }) => optional !== true);
  const missing = required[given.length];
  if (missing !== undefined) throw usageFailure(`<${missing.name}> is missing`, help);
  if (given.some((word) => word === '')) throw usageFailure('an argument is empty', help);
  const takesMore = node.arguments.at(-1)?.repeatable === true;
  const tooMany = takesMore ? undefined : given[node.arguments.length];
  if (tooMany !== undefined) throw usageFailure(`unexpected argument "${tooMany}"`, help);
}
