import { expect, test } from '@jest/globals';
import { commands } from '../commands.ts';
import { complete } from './complete.ts';

const offered = (...words: readonly string[]) => complete(commands, words).map(({ word }) => word);

test.each([
  [['t'], ['tb', 'top']],
  [
    ['tb', 'create-'],
    ['create-accounts', 'create-transfers'],
  ],
  [['--json', 'tb', 'lookup-a'], ['lookup-accounts']],
  [['-b', 'http://x', 'jobs', 'w'], ['watch']],
  [['tb', 'query-accounts', 'db_1', '--flag', ''], ['reversed']],
  [['tb', 'query-accounts', 'db_1', '--led'], ['--ledger']],
  [['tb', 'query-accounts', 'db_1', '--limit', '1', '--lim'], []],
  [
    ['tb', 'lookup-accounts', 'db_1', '--id', '1', '--id'],
    ['--id', '--ids'],
  ],
  [['databases', 'list', '--status', 'R'], ['READY']],
  [
    ['api', 'P'],
    ['POST', 'PATCH', 'PUT'],
  ],
  [['api', 'GET', ''], []],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['nothing', 'x'], []],
])('%j', (words, candidates) => {
  expect(offered(...words)).toEqual(candidates);
});
