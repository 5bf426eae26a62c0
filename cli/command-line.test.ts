import { expect, test } from '@jest/globals';
import { locate, placesOf, readCommandLine } from './command-line.ts';
import { commands } from './commands.ts';
import { CliFailure } from './failure.ts';
import { shellWords } from '../test/support/cli/shell-words.ts';

const words = (line: string) => line.split(' ').filter((word) => word !== '');
const failure = (line: string): CliFailure => {
  try {
    readCommandLine(commands, words(line));
  } catch (error) {
    if (error instanceof CliFailure) return error;
    throw error;
  }
  throw new Error(`"${line}" is accepted`);
};

test('a command is found with global flags in front of, among and behind its words', () => {
  for (const line of [
    '-b http://tb tb --json query-accounts db_1 --limit 5',
    'tb query-accounts --limit=5 db_1 --json -b http://tb',
  ]) {
    const read = readCommandLine(commands, words(line));
    if (read.kind !== 'run') throw new Error('it is to be run');
    expect(read.place.words).toEqual(['tb', 'query-accounts']);
    expect(read.input.arguments).toEqual(['db_1']);
    expect(read.input.text('base-url')).toBe('http://tb');
    expect(read.input.text('limit')).toBe('5');
    expect(read.input.has('json')).toBe(true);
  }
});

test('arguments after -- are no flags', () => {
  const read = readCommandLine(commands, ['databases', 'get', '--', '--help']);
  if (read.kind !== 'run') throw new Error('it is to be run');
  expect(read.input.arguments).toEqual(['--help']);
});

test.each(['', '--help', '-h', 'help', 'tb --help', 'help tb', 'help tb query-accounts'])(
  '"%s" asks for help',
  (line) => {
    expect(readCommandLine(commands, words(line)).kind).toBe('help');
  },
);

test('help is asked for even where the rest of the line is wrong', () => {
  expect(readCommandLine(commands, words('tb create-accounts --nope --help')).kind).toBe('help');
});

test('a value that is called --help is a value', () => {
  expect(readCommandLine(commands, ['tb', 'query-accounts', 'db_1', '--code=--help']).kind).toBe(
    'run',
  );
});

test.each([
  ['databses list', 'did you mean "databases"?'],
  ['tb crate-accounts db', 'did you mean "create-accounts"?'],
  ['tb query-accounts db --limt 3', 'did you mean "--limit"?'],
  ['tb', 'ledgerhouse tb needs a command'],
  ['tb --json', 'ledgerhouse tb needs a command'],
  ['help nothing', 'unknown command "nothing"'],
])('%s: %s', (line, says) => {
  expect(failure(line).message).toContain(says);
  expect(failure(line).fields.exitCode).toBe(2);
});

test.each([
  ['databases show payments', 'its commands: list, get, create,'],
  ['databases', 'its commands: list, get, create,'],
  ['saved-queries list', 'ledgerhouse api --help'],
])('%s: where nothing like it is known, the failure says what there is', (line, says) => {
  expect(failure(line).fields.nextSteps?.[0]).toContain(says);
});

const places = placesOf(commands);

test('every command has help of its own, and its words lead to it', () => {
  expect(places.length).toBeGreaterThan(30);
  for (const { node, words: path } of places) {
    expect(locate(commands, path).place.node).toBe(node);
  }
});

test('no command declares a flag twice, nor one of those that all have', () => {
  for (const { node, words: path } of places) {
    const read = readCommandLine(commands, [...path, '--help']);
    expect(read.kind).toBe('help');
    const names = [...node.options.map(({ name }) => name), 'base-url', 'json', 'quiet', 'help'];
    expect([path, new Set(names).size]).toEqual([path, names.length]);
  }
});

test.each(
  places.flatMap(({ words: path, node }) =>
    node.examples.map(({ command }) => [command, path] as const),
  ),
)('the example of help is accepted: %s', (command, path) => {
  const read = readCommandLine(commands, shellWords(command));
  if (read.kind !== 'run') throw new Error('it is to be run');
  expect(read.place.words).toEqual(path);
});
