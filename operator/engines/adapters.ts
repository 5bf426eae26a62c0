import { assert } from '../../base/assert.ts';
import type { EngineAdapter } from './adapter.ts';
import { builtin } from './builtin.ts';
import { tigerBeetle } from './tigerbeetle.ts';

const adapters: readonly EngineAdapter[] = [builtin, tigerBeetle];

/** Only what the catalog resolved is asked for, and its schema admits no other engines. */
export function adapterOf(name: string): EngineAdapter {
  const adapter = adapters.find((candidate) => candidate.name === name);
  assert(adapter !== undefined, `no adapter for the engine "${name}"`);
  return adapter;
}
