/** The bucket that backups are in, from the operator's configuration, and the flags with which Jobs reach it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface BackupStore {
  /** `s3://bucket/prefix`. */
  readonly url: string;
  /** URL of the S3 server; AWS's own when absent. */
  readonly endpoint?: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The file with the installation's keys, if archives are encrypted. */
  readonly encryptionKeys?: string;
  /** The file with the mode and days of object lock, if objects are locked. */
  readonly objectLock?: string;
}

export type StoreSecrets = Pick<
  BackupStore,
  'accessKeyId' | 'secretAccessKey' | 'encryptionKeys' | 'objectLock'
>;

/** Mount of the folder with the files of credentials and keys. */
export const credentialsMount = { name: 'store', mountPath: '/store', readOnly: true };

/** Flags of the engine's verbs that use the bucket. The credentials are in files. */
export const bucketFlags = ({ url, endpoint, region }: BackupStore): readonly string[] => [
  `--store=${url}`,
  ...(endpoint === undefined ? [] : [`--endpoint=${endpoint}`]),
  `--region=${region}`,
  `--credentials=${credentialsMount.mountPath}`,
];

/** Flags of the engine's verbs that use the backups of a database. */
export const storeFlags = (store: BackupStore, databaseId: string): readonly string[] => [
  ...bucketFlags(store),
  `--database=${databaseId}`,
];

/** The port that Jobs must reach. */
export function storePort({ endpoint }: BackupStore): number {
  if (endpoint === undefined) return 443;
  const { port, protocol } = new URL(endpoint);
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** Reads credentials, and keys if there are any, from mounted Secrets. The engine's verbs say what is wrong with keys. */
export function readCredentials(folder: string): StoreSecrets {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
  const has = (name: string) => existsSync(join(folder, name));
  return {
    accessKeyId: read('access-key-id'),
    secretAccessKey: read('secret-access-key'),
    ...(has(keysFile) && { encryptionKeys: read(keysFile) }),
    ...(has(lockFile) && { objectLock: read(lockFile) }),
  };
}

export const keysFile = 'encryption-keys';
export const lockFile = 'object-lock';
