/** Values at a difference's paths, in a configuration and in a resource's spec. Pure. */
import { streamsSuspended } from '../../domain/change-data-capture.ts';
import { archivingAsked, archivingSpec } from '../../domain/continuous-archiving.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { managerOf } from '../databases/spec-change.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type { ConfigurationChange } from '../model/configuration-change.ts';
import type { FieldChange } from '../model/event.ts';
import { archivingOf, autogrowOf, captureOf, type Configuration } from './differences.ts';
import type { SpecPatch } from './plan-change.ts';

/** Value of a configuration at a path; null where nothing is set. */
export function valueIn(configuration: Configuration, path: string): unknown {
  const [, member = '', entry] = path.split('/');
  if (member === 'autogrow') return autogrowOf(configuration);
  if (member === 'continuousArchiving') return archivingOf(configuration);
  if (member === 'changeDataCapture') return captureOf(configuration);
  if (member === 'parameters') return configuration.parameters[entry ?? ''] ?? null;
  return configuration[member as keyof Configuration] ?? null;
}

/** Value that a resource's spec asks for; `undefined`: the spec leaves it to the catalog. */
export function askedOf({ spec, status }: DatabaseObject, path: string): unknown {
  const [, member = '', entry] = path.split('/');
  const { storage } = spec;
  switch (member) {
    case 'clusterSize':
      return spec.size;
    case 'engineVersion':
      return spec.version;
    case 'selectedStorageGb':
      return Math.max(
        storage?.sizeGb ?? 0,
        storage?.autogrow ? (status?.autogrow?.sizeGb ?? 0) : 0,
      );
    case 'autogrow':
      return storage?.autogrow ?? null;
    case 'continuousArchiving':
      return archivingOf({ archiveRpoSeconds: archivingAsked(spec) });
    case 'changeDataCapture':
      return captureOf({ streamsSuspended: streamsSuspended(spec) });
    case 'parameters':
      return spec.parameters?.[entry ?? ''] ?? null;
    case 'suspended':
      return spec.suspend;
    default:
      return undefined;
  }
}

const sameValue = (one: unknown, other: unknown): boolean =>
  canonicalJson(one) === canonicalJson(other);

/** Whether a resource's spec asks for all of a difference that a spec can ask for: labels are not in it. */
export function asksFor(object: DatabaseObject, diff: readonly FieldChange[]): boolean {
  const asked = diff.flatMap(({ path, to }) => {
    const value = askedOf(object, path);
    return value === undefined ? [] : [sameValue(value, to)];
  });
  return asked.length > 0 && asked.every(Boolean);
}

/** Sentence about the writer who overwrote a change that is being applied; `undefined`: nobody did. */
export function overwrittenBy(
  object: DatabaseObject,
  { diff, generation }: Pick<ConfigurationChange, 'diff' | 'generation'>,
): string | undefined {
  if ((object.metadata.generation ?? 0) <= (generation ?? 0)) return undefined;
  for (const { path, to } of diff) {
    const value = askedOf(object, path);
    if (value === undefined || sameValue(value, to)) continue;
    const manager = managerOf(object, [{ path, from: to, to: value }]);
    return `${manager} set ${path.slice(1)} to ${JSON.stringify(value)} in Kubernetes while this change was being applied; what was written last counts`;
  }
  return undefined;
}

/** Merge patch that restores the fields of a difference. */
export function patchBack(diff: readonly FieldChange[]): SpecPatch {
  const patch: Record<string, unknown> = {};
  const storage: Record<string, unknown> = {};
  const parameters: Record<string, unknown> = {};
  for (const { path, from } of diff) {
    const [, member = '', entry = ''] = path.split('/');
    if (member === 'clusterSize') patch['size'] = from;
    if (member === 'engineVersion') patch['version'] = from;
    if (member === 'suspended') patch['suspend'] = from;
    if (member === 'continuousArchiving') {
      const { rpoSeconds = null } = (from ?? {}) as { readonly rpoSeconds?: number };
      patch['backup'] = archivingSpec(rpoSeconds);
    }
    if (member === 'changeDataCapture') {
      const { suspended } = from as { readonly suspended: boolean };
      patch['changeDataCapture'] = { suspend: suspended };
    }
    if (member === 'selectedStorageGb') storage['sizeGb'] = from;
    if (member === 'autogrow') storage['autogrow'] = from;
    if (member === 'parameters') parameters[entry] = from;
  }
  return {
    ...patch,
    ...(Object.keys(storage).length > 0 && { storage }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
}
