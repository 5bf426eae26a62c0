import { assert } from '../../base/assert.ts';
import type { EngineAdapter } from './adapter.ts';
import { builtin } from './builtin.ts';
import { tigerBeetle } from './tigerbeetle.ts';

const adapters: readonly EngineAdapter[] = [builtin, tigerBeetle];

/** Returns the adapter of an engine that the catalog resolved; the catalog's schema admits no other engines. */
export function adapterOf(name: string): EngineAdapter {
  const adapter = adapters.find((candidate) => candidate.name === name);
  assert(adapter !== undefined, `no adapter for the engine "${name}"`);
  return adapter;
}
