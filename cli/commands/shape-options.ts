/** Options for the shape of a database that begins with another one's data. */
import type { Option } from '../command.ts';

const asBefore = 'the original’s when absent';

export const shapeOptions: readonly Option[] = [
  { name: 'provider', value: 'id', summary: `provider of the catalog; ${asBefore}` },
  { name: 'region', value: 'id', summary: `region of the provider; ${asBefore}` },
  {
    name: 'cluster-configuration',
    value: 'id',
    summary: `topology: number of replicas; ${asBefore}`,
    choices: ['single', 'ha-3', 'ha-6'],
  },
  { name: 'cluster-size', value: 'id', summary: `cores and memory of each replica; ${asBefore}` },
  { name: 'storage-tier', value: 'id', summary: `storage tier; ${asBefore}` },
  {
    name: 'selected-storage-gb',
    value: 'gb',
    summary: `storage of each replica in GiB; ${asBefore}`,
  },
];

/** Options for the engine of that database. */
export const engineOptions: readonly Option[] = [
  {
    name: 'engine',
    value: 'name',
    summary: 'engine of the new database; the built-in one when absent',
    choices: ['Builtin', 'TigerBeetle'],
  },
  {
    name: 'drop-timeouts',
    summary: 'let open pending transfers lose their timeouts, which TigerBeetle does not import',
  },
];
