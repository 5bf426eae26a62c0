import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { problemCodes } from '../../api/model/problems.ts';
import { examplePrices } from '../../tools/up/charts.ts';
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

test('a transfer needs no amount in the contract, because a void has none', () => {
  const text = readFileSync(join(checkout, 'gen/openapi.json'), 'utf8');
  const { components } = JSON.parse(text) as {
    components: { schemas: Record<string, { required?: readonly string[] }> };
  };
  expect(components.schemas['TransferInput']?.required).toEqual(['id']);
});

test('the installation of make up has a price for each of its sizes and tiers', () => {
  const values = parse(readFileSync(join(checkout, 'charts/ledgerhouse/values.yaml'), 'utf8')) as {
    catalog: { sizes: readonly { id: string }[]; storageTiers: readonly { id: string }[] };
  };
  const { sizes, storageTiers } = values.catalog;
  const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
  expect(examplePrices.sizes.map(({ size }) => size)).toEqual(ids(sizes));
  expect(examplePrices.storage.map(({ tier }) => tier)).toEqual(ids(storageTiers));
});
