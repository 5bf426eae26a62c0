/** Differences between two configurations of a database, field by field. Pure. */
import { canonicalJson } from '../model/canonical-json.ts';
import type { FieldChange } from '../model/event.ts';
import type { ProfileChoice } from '../store/database-record.ts';

/** Properties that are compared as a whole. The price depends on them, so it is not among them. */
const members = [
  'provider',
  'region',
  'clusterConfiguration',
  'clusterSize',
  'storageTier',
  'selectedStorageGb',
  'engine',
  'engineVersion',
] as const satisfies readonly (keyof ProfileChoice)[];

/** The configuration as clients see it: without its price. */
export type Configuration = Omit<ProfileChoice, 'price'>;

/** Paths are JSON Pointers into the configuration that clients read. A value that is not set is null. */
export function differencesOf(before: Configuration, after: Configuration): FieldChange[] {
  const changes: FieldChange[] = members.map((member) => ({
    path: `/${member}`,
    from: before[member],
    to: after[member],
  }));
  changes.push({
    path: '/autogrow',
    from: autogrowOf(before),
    to: autogrowOf(after),
  });
  changes.push({
    path: '/continuousArchiving',
    from: archivingOf(before),
    to: archivingOf(after),
  });
  changes.push({
    path: '/changeDataCapture',
    from: captureOf(before),
    to: captureOf(after),
  });
  changes.push(...entriesOf('/parameters', before.parameters, after.parameters));
  changes.push({ path: '/suspended', from: before.suspended, to: after.suspended });
  return changes.filter(({ from, to }) => canonicalJson(from) !== canonicalJson(to));
}

export const autogrowOf = ({ autogrowLimitGb }: Pick<Configuration, 'autogrowLimitGb'>) =>
  autogrowLimitGb === null ? null : { limitGb: autogrowLimitGb };

export const archivingOf = ({
  archiveRpoSeconds: rpoSeconds,
}: Pick<Configuration, 'archiveRpoSeconds'>) => (rpoSeconds === null ? null : { rpoSeconds });

export const captureOf = ({
  streamsSuspended: suspended,
}: Pick<Configuration, 'streamsSuspended'>) => ({ suspended });

type Texts = Readonly<Record<string, string>>;

/** One row for each key of either map; null where it is absent. */
export function entriesOf(path: string, before: Texts, after: Texts): FieldChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys
    .map((key) => ({
      path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      from: before[key] ?? null,
      to: after[key] ?? null,
    }))
    .filter(({ from, to }) => from !== to);
}
