/** The parameters of an engine with the values of a database. Pure. */
import type { z } from 'zod';
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import type { Immutable } from '../contract/route.ts';
import type { parameterList } from '../contract/schemas/configuration.ts';
import type { Configuration } from './differences.ts';

type ShownParameter = Immutable<z.input<typeof parameterList>>['data'][number];

/** All parameters of the database's engine. A parameter that the catalog no longer has is shown while it is set. */
export function shownParameters(
  catalog: CatalogSpec,
  { engine, parameters: values }: Pick<Configuration, 'engine' | 'parameters'>,
): readonly ShownParameter[] {
  const known = catalog.engines.find(({ name }) => name === engine)?.parameters ?? [];
  const others = Object.keys(values).filter((name) => !known.some((row) => row.name === name));
  return [
    ...known.map((row): ShownParameter => ({
      name: row.name,
      description: row.description,
      type: row.type === 'size' ? 'bytes' : row.type,
      unit: row.type === 'size' ? 'bytes' : null,
      value: values[row.name] ?? null,
      defaultValue: row.default ?? null,
      min: row.minimum ?? null,
      max: row.maximum ?? null,
      restartRequired: true,
      immutable: false,
    })),
    ...others.map((name): ShownParameter => ({
      name,
      description: 'The catalog no longer has this parameter; it keeps its value.',
      type: 'integer',
      unit: null,
      value: values[name] ?? null,
      defaultValue: null,
      min: null,
      max: null,
      restartRequired: true,
      immutable: false,
    })),
  ];
}
