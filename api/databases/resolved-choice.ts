import { streamsSuspended } from '../../domain/change-data-capture.ts';
import { archivingAsked } from '../../domain/continuous-archiving.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import type { ProfileChoice } from '../store/database-record.ts';

type Direct = Pick<
  ProfileChoice,
  'autogrowLimitGb' | 'archiveRpoSeconds' | 'streamsSuspended' | 'suspended'
>;
const none: Direct = {
  autogrowLimitGb: null,
  archiveRpoSeconds: null,
  streamsSuspended: false,
  suspended: false,
};

/**
 * Configuration to which the operator resolved a resource. Returns `undefined` while it is not resolved. `before`: earlier
 * values of the fields that the operator takes from the spec unchanged; they stay until the operator has accepted the spec.
 */
export function resolvedChoice(
  { status, spec, metadata }: DatabaseObject,
  before: Direct = none,
): ProfileChoice | undefined {
  const { resolved } = status ?? {};
  const { engine, placement, topology, size, storage, parameters, price } = resolved ?? {};
  const storageGb = status?.storage?.requestedGb;
  if (!engine || !placement || !topology || !size || !storage || storageGb === undefined) {
    return undefined;
  }
  const accepted = status?.observedGeneration === metadata.generation;
  const direct: Direct = accepted
    ? {
        autogrowLimitGb: spec.storage?.autogrow?.limitGb ?? null,
        archiveRpoSeconds: archivingAsked(spec),
        streamsSuspended: streamsSuspended(spec),
        suspended: spec.suspend,
      }
    : {
        autogrowLimitGb: before.autogrowLimitGb,
        archiveRpoSeconds: before.archiveRpoSeconds,
        streamsSuspended: before.streamsSuspended,
        suspended: before.suspended,
      };
  return {
    provider: placement.provider,
    region: placement.region,
    clusterConfiguration: topology.name,
    clusterSize: size.name,
    storageTier: storage.tier,
    selectedStorageGb: storageGb,
    engine: engine.name,
    engineVersion: engine.version,
    parameters: valuesOf(parameters ?? {}),
    ...direct,
    price: price ?? null,
  };
}

/** Extracts the values of resolved parameters. Each is a flag, `--flag=value`; the request has only the value. */
const valuesOf = (flags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, flag.slice(flag.indexOf('=') + 1)]),
  );
