import type { DatabaseObject } from '../../domain/custom-objects.ts';
import type { ProfileChoice } from '../store/database-record.ts';

/** The configuration that the operator has resolved a resource to. `undefined`: it has not done so yet. */
export function resolvedChoice({ status }: DatabaseObject): ProfileChoice | undefined {
  const { resolved } = status ?? {};
  const { engine, placement, topology, size, storage, parameters, price } = resolved ?? {};
  const sizeGb = status?.storage?.requestedGb;
  if (!engine || !placement || !topology || !size || !storage || sizeGb === undefined) {
    return undefined;
  }
  return {
    provider: placement.provider,
    region: placement.region,
    clusterConfiguration: topology.name,
    clusterSize: size.name,
    storageTier: storage.tier,
    selectedStorageGb: sizeGb,
    engine: engine.name,
    engineVersion: engine.version,
    parameters: valuesOf(parameters ?? {}),
    price: price ?? null,
  };
}

/** A resolved parameter is the flag that it becomes, `--flag=value`; the request has only the value. */
const valuesOf = (flags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, flag.slice(flag.indexOf('=') + 1)]),
  );
