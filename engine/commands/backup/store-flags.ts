/** Flags that name the store of backups. Credentials are read from files, because arguments and variables show up elsewhere. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseKeys } from '../../archive/installation-keys.ts';
import { parseLock } from '../../archive/object-lock.ts';
import type { SealedStore } from '../../archive/sealed-store.ts';
import { parseInteger, required } from '../values.ts';
import { UsageError, type Flag, type Input } from '../verb.ts';

export const bucketFlags: readonly Flag[] = [
  { name: 'store', value: 's3://bucket/prefix', help: 'the bucket, and the prefix of all names' },
  { name: 'endpoint', value: 'url', help: "the S3 server; AWS's own by default" },
  { name: 'region', value: 'name', help: 'the region of the bucket, us-east-1 by default' },
  {
    name: 'credentials',
    value: 'folder',
    help: 'a folder with the files access-key-id and secret-access-key, encryption-keys if archives are encrypted, and object-lock if objects are locked',
  },
  {
    name: 'patience',
    value: 'seconds',
    help: 'how long to retry while the store does not answer, 600 by default',
  },
];

export const storeFlags: readonly Flag[] = [
  ...bucketFlags,
  { name: 'database', value: 'id', help: 'the ID of the database that was backed up' },
];

const DATABASE_ID = /^[a-z0-9_]{1,64}$/;
const BACKUP_ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export function databaseIdOf(input: Input): string {
  const text = required(input.flag('database'), 'database');
  if (DATABASE_ID.test(text)) return text;
  throw new UsageError(`--database is "${text}"; it has 1 to 64 of a-z, 0-9 and _`);
}

export function parseBackupId(flag: string, text: string): string {
  if (BACKUP_ID.test(text)) return text;
  throw new UsageError(`--${flag} is "${text}"; it has 1 to 63 of a-z, 0-9, _ and -`);
}

interface Patience {
  /** If the flags name none. */
  readonly defaultSeconds?: number;
  /** Whatever the flags name. */
  readonly atMostSeconds?: number;
}

/** Opens the store that the flags name, for one command or a part of it. */
export async function withStore<T>(
  input: Input,
  work: (store: SealedStore) => Promise<T>,
  { defaultSeconds = 600, atMostSeconds = Infinity }: Patience = {},
): Promise<T> {
  const url = required(input.flag('store'), 'store');
  const [, bucket, path] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(url) ?? [];
  if (bucket === undefined) {
    throw new UsageError(`--store is "${url}"; it is s3://BUCKET or s3://BUCKET/PREFIX`);
  }
  const prefix = (path ?? '').replace(/\/+$/, '');
  const endpoint = input.flag('endpoint');
  if (endpoint !== undefined && !/^https?:\/\/[^/]+$/.test(endpoint)) {
    throw new UsageError(
      `--endpoint is "${endpoint}"; it is http(s)://HOST or http(s)://HOST:PORT`,
    );
  }
  const folder = required(input.flag('credentials'), 'credentials');
  const patience = parseInteger(
    'patience',
    input.flag('patience') ?? String(defaultSeconds),
    1,
    86_400,
  );
  const options = {
    endpoint,
    region: input.flag('region') ?? 'us-east-1',
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    accessKeyId: await readCredential(folder, 'access-key-id'),
    secretAccessKey: await readCredential(folder, 'secret-access-key'),
    // Servers other than AWS's rarely have one host name for each bucket.
    forcePathStyle: endpoint !== undefined,
    patienceMs: Math.min(patience, atMostSeconds) * 1_000,
  };
  // Loaded only by verbs that need it: an engine that serves clients should not spend the time and memory.
  const { S3Store: Store } = await import('../../archive/s3-store.ts');
  const { SealedStore: Sealed } = await import('../../archive/sealed-store.ts');
  const keys = await readIfThere(folder, 'encryption-keys', parseKeys);
  const lock = await readIfThere(folder, 'object-lock', parseLock);
  const store = new Store({ ...options, lock });
  try {
    return await work(new Sealed(store, keys));
  } finally {
    store.close();
  }
}

async function readCredential(folder: string, name: string): Promise<string> {
  const text = (await readFile(join(folder, name), 'utf8')).trim();
  if (text !== '') return text;
  throw new UsageError(
    `${join(folder, name)} is empty; it holds one of the store's two credentials`,
  );
}

/** `undefined`: there is no such file, and nothing is encrypted or locked. */
async function readIfThere<T>(
  folder: string,
  name: string,
  parse: (text: string) => T,
): Promise<T | undefined> {
  try {
    return parse(await readFile(join(folder, name), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
