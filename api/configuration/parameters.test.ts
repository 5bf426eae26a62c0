import { expect, test } from '@jest/globals';
import { catalogSpec } from '../../test/fixtures/catalog.ts';
import { parameterList } from '../contract/schemas/configuration.ts';
import { shownParameters } from './parameters.ts';

const catalog = catalogSpec();

test('a parameter that the catalog no longer has is shown while it is set', () => {
  const rows = shownParameters(catalog, { engine: 'Builtin', parameters: { gone: '7' } });
  expect(rows.map(({ name, value }) => [name, value])).toEqual([
    ['limitConnections', null],
    ['gone', '7'],
  ]);
});

test('a size is shown in bytes, with the catalog’s default', () => {
  const engines = catalog.engines.map((engine) => ({
    ...engine,
    parameters: [
      {
        name: 'cacheGrid',
        type: 'size' as const,
        flag: '--cache-grid',
        minimum: 1_024,
        default: '1GiB',
        description: 'Cache.',
      },
    ],
  }));
  const data = shownParameters({ ...catalog, engines }, { engine: 'TigerBeetle', parameters: {} });
  expect(data[0]).toMatchObject({ type: 'bytes', unit: 'bytes', defaultValue: '1GiB', max: null });
  const page = { limit: 100, nextCursor: null, hasMore: false };
  expect(parameterList.safeParse({ data, page }).error).toBeUndefined();
});
