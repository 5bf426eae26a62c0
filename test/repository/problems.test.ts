import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { problemCodes } from '../../api/model/problems.ts';
import { checkout } from '../support/shell.ts';

/** Whether a file only describes problems. That of path parameters has the codes for things that are not there. */
const describes = (file: string): boolean =>
  file === 'api/model/problems.ts' ||
  (file.startsWith('api/contract/') && file !== 'api/contract/path-parameters.ts');

test('the contract promises no problem that the service never answers with', () => {
  const sources = globSync('api/**/*.ts', { cwd: checkout })
    .filter((file) => !file.endsWith('.test.ts') && !describes(file))
    .map((file) => readFileSync(join(checkout, file), 'utf8'));
  const made = new Set(
    sources.flatMap((text) => [...text.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code)),
  );
  expect(problemCodes.filter((code) => !made.has(code))).toEqual([]);
});
