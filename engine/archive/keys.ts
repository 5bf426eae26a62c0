/** Names of an archive's objects. FORMAT.md, "Keys". */
export { stagedKey } from '../../domain/import-files/staged-key.ts';

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

export const archiveKey = (databaseId: string): string => `${databaseId}/archive.json`;

/** The name holds the digest of the rows, so that two histories of one database never meet in one object. */
export const chunkKey = (
  databaseId: string,
  table: number,
  {
    firstRow,
    sha256,
    copy,
    sealed = false,
  }: { firstRow: number; sha256: string; copy: number; sealed?: boolean | undefined },
): string => {
  const name = `${databaseId}/rows/${hex(table, 4)}/${hex(firstRow, 12)}-${sha256.slice(0, 32)}`;
  return `${copy === 0 ? name : `${name}-${copy}`}${sealed ? SEALED : ''}`;
};

/** Ends the names of chunks that are encrypted, so that those which lie there plain are no reason not to store them. */
const SEALED = '.sealed';

/** Whether an object must be encrypted, and may be. */
export const sealingOf = (key: string): 'always' | 'with keys' | 'never' => {
  if (key.endsWith(SEALED)) return 'always';
  return /^[a-z0-9_]+\/(?:rows|backups|log|removed|swept|files|file-backups)\//.test(key)
    ? 'with keys'
    : 'never';
};

export const lockBoxesPrefix = (databaseId: string): string => `${databaseId}/keys/`;

/** A data key, sealed under one key of the installation. */
export const lockBoxKey = (databaseId: string, dataKeyId: string, fingerprint: string): string =>
  `${lockBoxesPrefix(databaseId)}${dataKeyId}.${fingerprint}.json`;

/** Parses the key of a lock box; `undefined` for another object's key. */
export function parseLockBoxKey(
  key: string,
): { readonly dataKeyId: string; readonly fingerprint: string } | undefined {
  const [, dataKeyId, fingerprint] =
    /\/keys\/([0-9a-f]{32})\.([0-9a-f]{16})\.json$/.exec(key) ?? [];
  return dataKeyId === undefined || fingerprint === undefined
    ? undefined
    : { dataKeyId, fingerprint };
}

export const recordsPrefix = (databaseId: string): string => `${databaseId}/backups/`;

export const removalsPrefix = (databaseId: string): string => `${databaseId}/removed/`;

/** The note that a backup is removed. */
export const removalKey = (databaseId: string, backupId: string): string =>
  `${removalsPrefix(databaseId)}${backupId}.json`;

export const sweptPrefix = (databaseId: string): string => `${databaseId}/swept/`;

/** The note that the chunks of a removed backup are deleted. */
export const sweptKey = (databaseId: string, backupId: string): string =>
  `${sweptPrefix(databaseId)}${backupId}.json`;

/** Records are listed in the order of their ops. */
export const recordKey = (databaseId: string, op: number, backupId: string): string =>
  `${recordsPrefix(databaseId)}${hex(op, 14)}-${backupId}.ndjson`;

/** The op and the backup that a record's key names; `undefined` for another object's key. */
export function parseRecordKey(
  key: string,
): { readonly op: number; readonly backupId: string } | undefined {
  const [, op = '', backupId] = /\/backups\/([0-9a-f]{14})-([a-z0-9_-]+)\.ndjson$/.exec(key) ?? [];
  return backupId === undefined ? undefined : { op: Number.parseInt(op, 16), backupId };
}

/** Segments of the log are listed in the order of their first ops; the name is the fence between two archivers. */
export const segmentsPrefix = (databaseId: string, line: number): string =>
  `${databaseId}/log/${hex(line, 4)}/`;

export const segmentKey = (databaseId: string, line: number, firstOp: number): string =>
  `${segmentsPrefix(databaseId, line)}${hex(firstOp, 14)}`;

export const chainsPrefix = (databaseId: string): string => `${databaseId}/chains/`;

/** The note that a chain of segments begins. */
export const chainKey = (databaseId: string, line: number, firstOp: number): string =>
  `${chainsPrefix(databaseId)}${hex(line, 4)}-${hex(firstOp, 14)}.json`;

/** The first op that a segment's key names; `undefined` for another object's key. */
export function parseSegmentKey(key: string): number | undefined {
  const [, op] = /\/log\/[0-9a-f]{4}\/([0-9a-f]{14})$/.exec(key) ?? [];
  return op === undefined ? undefined : Number.parseInt(op, 16);
}

export const fileBackupsPrefix = (databaseId: string): string => `${databaseId}/file-backups/`;

/** The record of a backup of data files. */
export const fileBackupKey = (databaseId: string, backupId: string): string =>
  `${fileBackupsPrefix(databaseId)}${backupId}.ndjson`;

/** The backup that such a record's key names; `undefined` for another object's key. */
export const parseFileBackupKey = (key: string): string | undefined =>
  /\/file-backups\/([a-z0-9_-]+)\.ndjson$/.exec(key)?.[1];

/** All objects of a backup of data files but its record. No other backup uses them. */
export const filesPrefix = (databaseId: string, backupId: string): string =>
  `${databaseId}/files/${backupId}/`;

/** The begin of the keys of all data files, finished or not. */
export const allFilesPrefix = (databaseId: string): string => `${databaseId}/files/`;

/** The backup of data files to which an object belongs. */
export const backupOfFileKey = (key: string): string | undefined =>
  /\/files\/([a-z0-9_-]+)\//.exec(key)?.[1];

/** Follows all keys below such a backup's prefix, also those that are nobody's, and precedes those of the next one: 0 comes after the slash. */
export const afterFilesOf = (databaseId: string, backupId: string): string =>
  `${allFilesPrefix(databaseId)}${backupId}0`;

/** The note that the sweep gives such a backup up, unless it is completed. */
export const givenUpKey = (databaseId: string, backupId: string): string =>
  `${filesPrefix(databaseId, backupId)}given-up.json`;

/** Key of the object that describes one replica's file. */
export const replicaFileKey = (databaseId: string, backupId: string, index: number): string =>
  `${filesPrefix(databaseId, backupId)}replica-${index}.ndjson`;

/** Bytes of files. Replicas that have the same ones share the object. */
export const pieceKey = (
  databaseId: string,
  backupId: string,
  { sha256, sealed = false }: { sha256: string; sealed?: boolean | undefined },
): string => `${filesPrefix(databaseId, backupId)}${sha256}${sealed ? SEALED : ''}`;
