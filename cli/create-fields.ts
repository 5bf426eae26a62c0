/** Fields of a new database from the options that `databases create` and `import` share. */
import type { CreateDatabaseRequest } from '../gen/api.ts';
import { usageFailure, valueFailure } from './failure.ts';
import type { Input } from './input.ts';
import { readInteger } from './ledger/integers.ts';

const textOptions = {
  provider: 'provider',
  region: 'region',
  'cluster-size': 'clusterSize',
  'storage-tier': 'storageTier',
  'engine-version': 'engineVersion',
} as const;

export const labelAndProtection = ['label', 'deletion-protection', 'no-deletion-protection'];
export const sharedCreateOptions = [
  ...Object.keys(textOptions),
  'selected-storage-gb',
  'archive-within-seconds',
  ...labelAndProtection,
];

type SharedFields = Omit<Partial<CreateDatabaseRequest>, 'name'>;

/** The catalog knows the valid values; the API answers an invalid one with them. */
export function sharedCreateFields(input: Input): SharedFields {
  const storage = input.text('selected-storage-gb');
  const seconds = input.text('archive-within-seconds');
  return {
    ...textFields(input, textOptions),
    ...(storage === undefined
      ? {}
      : {
          selectedStorageGb: Number(
            readInteger('--selected-storage-gb', storage, { bits: 32, minimum: 1n }),
          ),
        }),
    ...(seconds === undefined
      ? {}
      : {
          continuousArchiving: {
            rpoSeconds: Number(
              readInteger('--archive-within-seconds', seconds, { bits: 32, minimum: 1n }),
            ),
          },
        }),
    ...labelsOf(input),
    ...protectionOf(input),
  };
}

/** The fields of the options that are given; `options` has the field of each. */
export function textFields(input: Input, options: Readonly<Record<string, string>>): SharedFields {
  const chosen = Object.entries(options).flatMap(([option, field]) => {
    const value = input.text(option);
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(chosen) as SharedFields;
}

export function labelsOf(input: Input): { readonly labels?: Readonly<Record<string, string>> } {
  const labels = input.list('label').map((text) => {
    const at = text.indexOf('=');
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)] as const;
    throw valueFailure(`--label must be key=value, not "${text}"`);
  });
  return labels.length === 0 ? {} : { labels: Object.fromEntries(labels) };
}

export function protectionOf(input: Input): { readonly deletionProtection?: boolean } {
  const [on, off] = [input.has('deletion-protection'), input.has('no-deletion-protection')];
  if (on && off) {
    throw usageFailure('--deletion-protection and --no-deletion-protection exclude each other');
  }
  return on || off ? { deletionProtection: on } : {};
}
