import type { DatabaseObject } from '../../domain/custom-objects.ts';
import type { ProfileChoice } from '../store/database-record.ts';

/** Configuration to which the operator resolved a resource. Returns `undefined` while it is not resolved. */
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

/** Extracts the values of resolved parameters. Each is a flag, `--flag=value`; the request has only the value. */
const valuesOf = (flags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, flag.slice(flag.indexOf('=') + 1)]),
  );
