import { expect, test } from '@jest/globals';
import { readCommandLine } from '../command-line.ts';
import { commands } from '../commands.ts';
import { readExportChoices } from './choices.ts';
import { rowFormats } from './rows.ts';

function choices(words: string) {
  const line = readCommandLine(commands, ['export', 'x', ...words.split(' ')]);
  if (line.kind === 'help') throw new Error('no command');
  return readExportChoices(line.input);
}

test('NDJSON of all rows to standard output, unless something else is asked for', () => {
  const format = rowFormats.ndjson;
  const found = { what: 'accounts', format, path: undefined, resumes: false, after: 0n };
  expect(choices('--what accounts')).toMatchObject(found);
  expect(choices('--what transfers --format csv --output f --after 18446744073709551615')).toEqual({
    what: 'transfers',
    format: rowFormats.csv,
    path: 'f',
    resumes: false,
    json: false,
    after: 2n ** 64n - 1n,
    pageRows: 2_000,
  });
});

test.each([
  ['--format csv', '--what is missing'],
  ['--what balances', '--what must be accounts or transfers'],
  ['--what accounts --format xlsx', '--format must be ndjson or csv'],
  ['--what accounts --output=', '--output needs the name of a file'],
  ['--what accounts --resume', 'none is named'],
  ['--what accounts --json', 'standard output has the rows'],
  ['--what accounts --after yesterday', '--after must be an integer'],
  ['--what accounts --after 18446744073709551616', 'is out of range'],
  ['--what accounts --page-rows 0', '--page-rows must be an integer from 1'],
  ['--what accounts --page-rows 8190', '8189 at most'],
])('refused: %s', (words, says) => {
  expect(() => choices(words)).toThrow(says);
});
